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

/** ECDSA on P-256: shorter tokens than RSA, and sixteen times the signatures per second. */
export const ALGORITHM = "ES256";

/** The maximum lifetime of tokens. */
export const TOKEN_LIFETIME_MS = 3_600_000;

/** A replaced key is accepted until every token it signed has expired, with five minutes of clock skew. */
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

/** Something else that a rotation replaces, reloaded together with the keys. */
interface Reloadable {
  reload(): Promise<void>;
}

/** The keys that sign tokens, cached in this process. */
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

  /** Loads the keys; generates the first one of a new installation. */
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
   * Adds a new key. Older keys are accepted until their last token has expired, or dropped now.
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
   * Reloads the keys if the access version has changed, as a rotation changes it. For code that signs or
   * verifies without the authenticator.
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
    // Reloads may finish out of order: an older read must not replace a newer one.
    if (order < this.#applied) return;
    this.#applied = order;
    this.#keys = keys;
  }

  async #read(): Promise<SigningKey[]> {
    const stored = await readKeys(this.#store.reader, Date.now());
    return Promise.all(stored.map((key) => this.#parsed(key)));
  }

  /** Keys are immutable: one that is cached need not be decrypted again. */
  async #parsed({ kid, retires, sealed }: SealedKey): Promise<SigningKey> {
    const known = this.#keys.find((key) => key.kid === kid);
    const ends = retires ?? Number.POSITIVE_INFINITY;
    if (known !== undefined) return known.retires === ends ? known : { ...known, retires: ends };
    const jwk = await this.#secrets.openSealed(this.#store.reader, SIGNING_KEYS, kid, sealed);
    const privateKey = createPrivateKey({ key: JSON.parse(jwk), format: "jwk" });
    return { kid, privateKey, publicKey: createPublicKey(privateKey), retires: ends };
  }

  /** The key that signs new tokens. */
  get current(): SigningKey {
    const [newest] = this.#keys;
    if (newest === undefined) throw new Error("there is no signing key");
    return newest;
  }

  /** The key of an id, unless it has retired. */
  find(kid: string, now: number): SigningKey | undefined {
    return this.#keys.find((key) => key.kid === kid && key.retires > now);
  }

  /** The public keys as a JSON Web Key Set. */
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
