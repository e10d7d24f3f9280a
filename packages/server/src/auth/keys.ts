import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";
import { calculateJwkThumbprint, type JWK } from "jose";
import { addKey, readKeys, type StoredKey } from "../store/signing-keys.ts";
import type { Store } from "../store/store.ts";

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

/** The keys that sign our tokens, as this process knows them. */
export class SigningKeys {
  readonly #store: Store;
  #keys: readonly SigningKey[] = [];
  #version = -1;

  private constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Loads the keys; makes the first one of a new installation.
   *
   * @example const keys = await SigningKeys.load(store);
   */
  static async load(store: Store): Promise<SigningKeys> {
    const keys = new SigningKeys(store);
    await keys.reload();
    if (keys.#keys.length === 0) {
      const first = await newKey(Date.now());
      await store.write(async (tx) => {
        await tx.takeTurn();
        if ((await readKeys(tx, first.created)).length === 0)
          await addKey(tx, first, first.created);
      });
      await keys.reload();
    }
    return keys;
  }

  /**
   * Puts a new key in place; those before it stay accepted until their last token has ended.
   *
   * @example const kid = await SigningKeys.rotate(store);
   */
  static async rotate(store: Store): Promise<string> {
    const key = await newKey(Date.now());
    await store.write((tx) => addKey(tx, key, key.created + OVERLAP_MS));
    return key.kid;
  }

  /**
   * Reads the keys again if anything has changed since that concerns access, as a rotation does. For
   * those who sign or verify without the authenticator.
   *
   * @example await keys.catchUp();
   */
  async catchUp(): Promise<void> {
    const version = await this.#store.accessVersion();
    if (version === this.#version) return;
    await this.reload();
    this.#version = version;
  }

  async reload(): Promise<void> {
    const stored = await readKeys(this.#store.reader, Date.now());
    this.#keys = stored.map(parsed);
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

async function newKey(now: number): Promise<StoredKey> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = privateKey.export({ format: "jwk" }) as JWK;
  const kid = await calculateJwkThumbprint(jwk);
  return { kid, private_jwk: JSON.stringify(jwk), created: now, retires: null };
}

function parsed({ kid, private_jwk, retires }: StoredKey): SigningKey {
  const privateKey = createPrivateKey({ key: JSON.parse(private_jwk), format: "jwk" });
  return {
    kid,
    privateKey,
    publicKey: createPublicKey(privateKey),
    retires: retires ?? Number.POSITIVE_INFINITY,
  };
}
