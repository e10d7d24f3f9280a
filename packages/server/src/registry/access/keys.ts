import { createPrivateKey, createPublicKey, KeyObject, webcrypto } from "node:crypto";
import type { JWK } from "jose";
import type { Secrets } from "../../secrets/secrets.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import type { Store } from "../../store/db/store.ts";
import {
  addRegistryKey,
  deleteRegistryKeys,
  hasRegistryKeys,
  REGISTRY_KEYS,
  readRegistryKeys,
  retireRegistryKey,
  type SealedRegistryKey,
  type StoredRegistryKey,
} from "../../store/tables/keys.ts";
import { selfSigned } from "./certificate.ts";
import { keyId } from "./key-id.ts";

/** The lifetime of a registry token. */
export const REGISTRY_TOKEN_MS = 5 * 60_000;

/** A replaced key stays published until its last token has expired, with tolerance for clock skew. */
const OVERLAP_MS = REGISTRY_TOKEN_MS + 5 * 60_000;

export interface RegistryKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** PEM, for the files of registries. */
  readonly certificate: string;
  /** For the header of tokens. */
  readonly x5c: readonly string[];
  readonly replaced: boolean;
}

/**
 * The signing keys of registry tokens. They differ from the keys of API tokens, so that a registry token
 * is never valid at the API.
 *
 * Registries read keys when they start. So the next key is always published before it is used: a
 * registry with today's file accepts tokens signed after tomorrow's rotation.
 */
export class RegistryKeys {
  readonly #store: Store;
  readonly #secrets: Secrets;
  #keys: readonly RegistryKey[] = [];
  #version = -1;

  constructor(store: Store, secrets: Secrets) {
    this.#store = store;
    this.#secrets = secrets;
  }

  /** Whether there are keys; the first request of a registry creates them. */
  static exist(tx: Transaction): Promise<boolean> {
    return hasRegistryKeys(tx);
  }

  /** Makes the next key current, and adds the first of these keys as the next. */
  static async rotate(tx: Transaction, secrets: Secrets, [key]: NewRegistryKeys): Promise<void> {
    const { created } = key;
    const present = await readRegistryKeys(tx, created);
    const current = present.find(({ retires }) => retires === null);
    if (current !== undefined)
      await retireRegistryKey(tx, current.kid, created + OVERLAP_MS, created);
    await storeKey(tx, secrets, key);
  }

  /** Replaces all keys, including the next one, which a reader of the database knows as well. */
  static async replace(tx: Transaction, secrets: Secrets, keys: NewRegistryKeys): Promise<void> {
    await deleteRegistryKeys(tx);
    for (const key of keys) await storeKey(tx, secrets, key);
  }

  /** The key that signs tokens. */
  async current(): Promise<RegistryKey> {
    const current = (await this.published()).find((key) => !key.replaced);
    if (current === undefined) throw new Error("no signing key for registry tokens");
    return current;
  }

  /** The keys that registries accept: the current, the next, and recently replaced ones. */
  async published(): Promise<readonly RegistryKey[]> {
    const version = await this.#store.accessVersion();
    if (version !== this.#version) await this.#reload(version);
    return this.#keys;
  }

  async #reload(version: number): Promise<void> {
    const now = Date.now();
    await createInitialKeys(this.#store, this.#secrets, now);
    const stored = await readRegistryKeys(this.#store.reader, now);
    const keys = await Promise.all(stored.map((key) => this.#open(key)));
    // The current key comes first, for registries that read only one.
    this.#keys = [...keys.filter((key) => !key.replaced), ...keys.filter((key) => key.replaced)];
    this.#version = version;
  }

  /** Opens a stored key. A key id never gets another key, so opened keys are reused. */
  async #open({ kid, sealed, certificate, retires }: SealedRegistryKey): Promise<RegistryKey> {
    const replaced = retires !== null;
    const opened = this.#keys.find((key) => key.kid === kid);
    if (opened !== undefined) return { ...opened, replaced };
    const jwk = await this.#secrets.openSealed(this.#store.reader, REGISTRY_KEYS, kid, sealed);
    const privateKey = createPrivateKey({ key: JSON.parse(jwk), format: "jwk" });
    const body = certificate.replace(/-----[A-Z ]+-----|\s/g, "");
    return {
      kid,
      privateKey,
      publicKey: createPublicKey(privateKey),
      certificate,
      x5c: [body],
      replaced,
    };
  }
}

/** Creates the first two keys of an installation, if there are none. */
async function createInitialKeys(store: Store, secrets: Secrets, now: number): Promise<void> {
  if ((await readRegistryKeys(store.reader, now)).length > 0) return;
  const keys = await newRegistryKeys(now);
  await store.write(async (tx) => {
    await tx.acquireLock();
    if ((await readRegistryKeys(tx, now)).length > 0) return;
    for (const key of keys) await storeKey(tx, secrets, key);
  });
}

interface NewRegistryKey extends StoredRegistryKey {
  /** The private key as a JSON Web Key. */
  readonly jwk: string;
}

/** A current and a next key. */
export type NewRegistryKeys = readonly [NewRegistryKey, NewRegistryKey];

export async function newRegistryKeys(now: number): Promise<NewRegistryKeys> {
  return [await newKey(now), await newKey(now + 1)];
}

async function newKey(now: number): Promise<NewRegistryKey> {
  const curve = { name: "ECDSA", namedCurve: "P-256" };
  const pair = await webcrypto.subtle.generateKey(curve, true, ["sign", "verify"]);
  return {
    kid: keyId(KeyObject.from(pair.publicKey)),
    jwk: JSON.stringify(await webcrypto.subtle.exportKey("jwk", pair.privateKey)),
    certificate: await selfSigned(pair, now),
    created: now,
    retires: null,
  };
}

async function storeKey(tx: Transaction, secrets: Secrets, { jwk, ...key }: NewRegistryKey) {
  await addRegistryKey(tx, key);
  await secrets.put(tx, REGISTRY_KEYS, key.kid, jwk);
}

/** The public keys as a JSON Web Key Set. */
export function registryJwks(keys: readonly RegistryKey[]): { keys: JWK[] } {
  return {
    keys: keys.map(({ kid, publicKey, x5c }) => ({
      ...(publicKey.export({ format: "jwk" }) as JWK),
      kid,
      alg: "ES256",
      use: "sig",
      x5c: [...x5c],
    })),
  };
}
