import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import type { JWK } from "jose";
import { Reloads } from "../secrets/reloads.ts";
import type { Secrets } from "../secrets/secrets.ts";
import type { Transaction } from "../store/db/commit/transaction.ts";
import type { Store } from "../store/db/store.ts";
import {
  addKeys,
  hasCurrentKey,
  readKeys,
  retireKeys,
  type SealedKey,
  SIGNING_KEYS,
} from "../store/tables/keys.ts";
import { type Algorithm, algorithmOf } from "./algorithms.ts";
import { type NewKey, newSigningKey } from "./new-key.ts";

/** The maximum lifetime of tokens. */
export const TOKEN_LIFETIME_MS = 3_600_000;

/** A replaced key is accepted until every token it signed has expired, with five minutes of clock skew. */
const OVERLAP_MS = TOKEN_LIFETIME_MS + 5 * 60_000;

export interface SigningKey {
  readonly kid: string;
  readonly algorithm: Algorithm;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly retires: number;
}

/** Something else that a rotation replaces, reloaded together with the keys. */
interface Reloadable {
  reload(): Promise<void>;
}

export interface SigningOptions {
  readonly others?: readonly Reloadable[];
  /**
   * The audiences whose tokens are signed with RS256. Undefined for commands beside the server, which sign
   * with ES256 and leave keys of the other kind as they are.
   */
  readonly rs256Audiences?: readonly string[] | undefined;
}

/** The keys that sign tokens, cached in this process. */
export class SigningKeys {
  readonly #store: Store;
  readonly #secrets: Secrets;
  readonly #others: readonly Reloadable[];
  readonly #rs256Audiences: ReadonlySet<string>;
  /** Signature algorithms of tokens, as the discovery document lists them. */
  readonly algorithms: readonly Algorithm[];
  readonly #reloads: Reloads;
  #keys: readonly SigningKey[] = [];

  private constructor(
    store: Store,
    secrets: Secrets,
    { others = [], rs256Audiences = [] }: SigningOptions,
  ) {
    this.#store = store;
    this.#secrets = secrets;
    this.#others = others;
    this.#rs256Audiences = new Set(rs256Audiences);
    this.#reloads = new Reloads(store);
    this.algorithms = rs256Audiences.length === 0 ? ["ES256"] : ["ES256", "RS256"];
  }

  /**
   * Loads the keys, and generates the first one of each algorithm. The server retires keys of an algorithm
   * that it no longer signs with.
   */
  static async load(
    store: Store,
    secrets: Secrets,
    options: SigningOptions = {},
  ): Promise<SigningKeys> {
    const keys = new SigningKeys(store, secrets, options);
    keys.#keys = await keys.#read();
    for (const algorithm of keys.algorithms) await keys.#ensure(algorithm);
    if (options.rs256Audiences?.length === 0 && keys.#current("RS256") !== undefined)
      await store.write((tx) => retireKeys(tx, "RS256", Date.now() + OVERLAP_MS));
    await keys.reload();
    return keys;
  }

  /**
   * Adds new keys, at most one of each algorithm. Older keys are accepted until their last token has
   * expired, or dropped now.
   */
  static async rotate(
    tx: Transaction,
    secrets: Secrets,
    keys: readonly [NewKey, ...NewKey[]],
    others: "overlap" | "drop",
  ): Promise<void> {
    const [{ created }] = keys;
    await retireKeys(tx, undefined, others === "overlap" ? created + OVERLAP_MS : created);
    await putKeys(tx, secrets, keys);
  }

  /** Generates a key of an algorithm if the store has none that stays. */
  async #ensure(algorithm: Algorithm): Promise<void> {
    if (this.#current(algorithm) !== undefined) return;
    const key = await newSigningKey(Date.now(), algorithm);
    await this.#store.write(async (tx) => {
      await tx.acquireLock();
      if (!(await hasCurrentKey(tx, algorithm))) await putKeys(tx, this.#secrets, [key]);
    });
  }

  /**
   * Reloads the keys if the access version has changed, as a rotation changes it. For code that signs or
   * verifies without the authenticator.
   */
  reloadIfChanged(): Promise<void> {
    return this.#reloads.ifChanged(() => this.reload());
  }

  async reload(): Promise<void> {
    const isApplied = await this.#reloads.run(
      () => Promise.all([this.#read(), ...this.#others.map((other) => other.reload())]),
      ([keys]) => {
        this.#keys = keys;
      },
    );
    if (isApplied) await this.#replaceRetired();
  }

  /**
   * A replica with another setting may have retired the RS256 key. Failing to replace it fails no other
   * request: the retired key is still accepted, and the next reload tries again.
   */
  async #replaceRetired(): Promise<void> {
    if (!this.algorithms.includes("RS256") || this.#current("RS256") !== undefined) return;
    await this.#ensure("RS256").catch(() => {});
  }

  async #read(): Promise<SigningKey[]> {
    const stored = await readKeys(this.#store.reader, Date.now());
    return Promise.all(stored.map((key) => this.#parsed(key)));
  }

  /** Keys are immutable: one that is cached need not be decrypted again. */
  async #parsed({ kid, retires, sealed }: SealedKey): Promise<SigningKey> {
    const match = this.#keys.find((key) => key.kid === kid);
    const ends = retires ?? Number.POSITIVE_INFINITY;
    if (match !== undefined) return match.retires === ends ? match : { ...match, retires: ends };
    const jwk = await this.#secrets.openSealed(this.#store.reader, SIGNING_KEYS, kid, sealed);
    const privateKey = createPrivateKey({ key: JSON.parse(jwk), format: "jwk" });
    const publicKey = createPublicKey(privateKey);
    return { kid, algorithm: algorithmOf(privateKey), privateKey, publicKey, retires: ends };
  }

  /** The key of an algorithm that is not going to retire. */
  #current(algorithm: Algorithm): SigningKey | undefined {
    return this.#keys.find(
      (key) => key.algorithm === algorithm && key.retires === Number.POSITIVE_INFINITY,
    );
  }

  /**
   * The key that signs a new token for audiences: RS256 if all of them are configured for it, otherwise
   * ES256.
   */
  keyFor(audiences: readonly string[]): SigningKey {
    const external =
      audiences.length > 0 && audiences.every((audience) => this.#rs256Audiences.has(audience));
    const algorithm = external ? "RS256" : "ES256";
    const newest = this.#keys.find((key) => key.algorithm === algorithm);
    if (newest === undefined) throw new Error(`there is no signing key for ${algorithm}`);
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
      keys: live.map(({ kid, algorithm, publicKey }) => ({
        ...(publicKey.export({ format: "jwk" }) as JWK),
        kid,
        alg: algorithm,
        use: "sig",
      })),
    };
  }
}

async function putKeys(tx: Transaction, secrets: Secrets, keys: readonly NewKey[]): Promise<void> {
  await addKeys(tx, keys);
  for (const { kid, jwk } of keys) await secrets.put(tx, SIGNING_KEYS, kid, jwk);
}
