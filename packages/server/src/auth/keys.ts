import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";
import { calculateJwkThumbprint, type JWK } from "jose";
import type { Secrets } from "../secrets/secrets.ts";
import type { Transaction } from "../store/db/group-commit.ts";
import type { Store } from "../store/db/store.ts";
import {
  addKey,
  readKeys,
  type SealedKey,
  SIGNING_KEYS,
  type StoredKey,
} from "../store/tables/keys.ts";

/** ECDSA on P-256: short tokens, and sixteen times the signatures of RSA in the same time. */
export const ALGORITHM = "ES256";

/** No token of ours lives longer. */
export const TOKEN_LIFETIME_MS = 3_600_000;

/** A replaced key is accepted until every token it signed has ended, clocks apart by minutes included. */
const OVERLAP_MS = TOKEN_LIFETIME_MS + 5 * 60_000;

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly retires: number;
}

/** A key that is not stored yet. */
export interface NewKey extends StoredKey {
  /** The private key as JSON Web Key text. */
  readonly jwk: string;
}

/** What else a rotation may replace: read again together with the keys. */
interface Reloadable {
  reload(): Promise<void>;
}

/** The keys that sign our tokens, as this process knows them. */
export class SigningKeys {
  readonly #store: Store;
  readonly #secrets: Secrets;
  readonly #others: readonly Reloadable[];
  #keys: readonly SigningKey[] = [];
  #version = -1;
  #started = 0;
  #applied = 0;

  private constructor(store: Store, secrets: Secrets, others: readonly Reloadable[]) {
    this.#store = store;
    this.#secrets = secrets;
    this.#others = others;
  }

  /**
   * Loads the keys; makes the first one of a new installation.
   *
   * @example const keys = await SigningKeys.load(store, secrets, [installation]);
   */
  static async load(
    store: Store,
    secrets: Secrets,
    others: readonly Reloadable[] = [],
  ): Promise<SigningKeys> {
    const keys = new SigningKeys(store, secrets, others);
    await keys.reload();
    if (keys.#keys.length === 0) {
      const first = await newSigningKey(Date.now());
      await store.write(async (tx) => {
        await tx.acquireLock();
        if ((await readKeys(tx, first.created)).length === 0)
          await putKey(tx, secrets, first, first.created);
      });
      await keys.reload();
    }
    return keys;
  }

  /**
   * Puts a new key in place. Those before it stay accepted until their last token has expired, or are
   * dropped now.
   *
   * @example await SigningKeys.rotate(tx, secrets, await newSigningKey(Date.now()), "overlap");
   */
  static async rotate(
    tx: Transaction,
    secrets: Secrets,
    key: NewKey,
    others: "overlap" | "drop",
  ): Promise<void> {
    const retire = others === "overlap" ? key.created + OVERLAP_MS : key.created;
    await putKey(tx, secrets, key, retire);
  }

  /**
   * Reads the keys again if anything has changed since that concerns access, as a rotation does. For
   * those who sign or verify without the authenticator.
   *
   * @example await keys.catchUp();
   */
  async reloadIfChanged(): Promise<void> {
    const version = await this.#store.accessVersion();
    if (version === this.#version) return;
    await this.reload();
    this.#version = version;
  }

  async reload(): Promise<void> {
    this.#started += 1;
    const order = this.#started;
    const [keys] = await Promise.all([
      this.#read(),
      ...this.#others.map((other) => other.reload()),
    ]);
    // A read that began before another, and ends after it, may be of before a rotation.
    if (order < this.#applied) return;
    this.#applied = order;
    this.#keys = keys;
  }

  async #read(): Promise<SigningKey[]> {
    const stored = await readKeys(this.#store.reader, Date.now());
    return Promise.all(stored.map((key) => this.#parsed(key)));
  }

  /** A key never changes under its id: one that is known need not be opened again. */
  async #parsed({ kid, retires, sealed }: SealedKey): Promise<SigningKey> {
    const known = this.#keys.find((key) => key.kid === kid);
    const ends = retires ?? Number.POSITIVE_INFINITY;
    if (known !== undefined) return known.retires === ends ? known : { ...known, retires: ends };
    const jwk = await this.#secrets.openSealed(this.#store.reader, SIGNING_KEYS, kid, sealed);
    const privateKey = createPrivateKey({ key: JSON.parse(jwk), format: "jwk" });
    return { kid, privateKey, publicKey: createPublicKey(privateKey), retires: ends };
  }

  /** The key that signs now. */
  get current(): SigningKey {
    const [newest] = this.#keys;
    if (newest === undefined) throw new Error("there is no signing key");
    return newest;
  }

  /** The key of this name, unless it has retired. */
  find(kid: string, now: number): SigningKey | undefined {
    return this.#keys.find((key) => key.kid === kid && key.retires > now);
  }

  /** The public halves, as published. */
  jwks(now: number): { keys: JWK[] } {
    const live = this.#keys.filter((key) => key.retires > now);
    return {
      keys: live.map(({ kid, publicKey }) => ({
        ...(publicKey.export({ format: "jwk" }) as JWK),
        kid,
        alg: ALGORITHM,
        use: "sig",
      })),
    };
  }
}

/** @example const key = await newSigningKey(Date.now()); */
export async function newSigningKey(now: number): Promise<NewKey> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = privateKey.export({ format: "jwk" }) as JWK;
  const kid = await calculateJwkThumbprint(jwk);
  return { kid, jwk: JSON.stringify(jwk), created: now, retires: null };
}

async function putKey(
  tx: Transaction,
  secrets: Secrets,
  { jwk, ...key }: NewKey,
  othersRetire: number,
): Promise<void> {
  await addKey(tx, key, othersRetire);
  await secrets.put(tx, SIGNING_KEYS, key.kid, jwk);
}
