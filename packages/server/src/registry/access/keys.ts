import { createPrivateKey, createPublicKey, KeyObject, webcrypto } from "node:crypto";
import type { JWK } from "jose";
import { ALGORITHM } from "../../auth/keys.ts";
import type { Secrets } from "../../secrets/secrets.ts";
import type { Transaction } from "../../store/db/group-commit.ts";
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

/** How long a token for a registry is good. */
export const REGISTRY_TOKEN_MS = 5 * 60_000;

/** A replaced key stays published until its last token has ended, clocks apart by minutes included. */
const OVERLAP_MS = REGISTRY_TOKEN_MS + 5 * 60_000;

export interface RegistryKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** As PEM, for registries' files. */
  readonly certificate: string;
  /** As the header of a token carries it. */
  readonly x5c: readonly string[];
  readonly replaced: boolean;
}

/**
 * The keys that sign tokens for registries, apart from those that sign tokens for ourselves: what a
 * registry is shown must open nothing here.
 *
 * Registries read keys when they start. So there is always a next key, published before its turn: a
 * registry that has the file of today accepts what is signed after tomorrow's rotation.
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

  /** Whether a registry ever asked for keys: there are none before. */
  static exist(tx: Transaction): Promise<boolean> {
    return hasRegistryKeys(tx);
  }

  /**
   * Puts the next key in place, and the first of the given ones after it.
   *
   * @example await RegistryKeys.rotate(tx, secrets, await newRegistryKeys(Date.now()));
   */
  static async rotate(tx: Transaction, secrets: Secrets, [key]: NewRegistryKeys): Promise<void> {
    const { created } = key;
    const present = await readRegistryKeys(tx, created);
    const current = present.find(({ retires }) => retires === null);
    if (current !== undefined)
      await retireRegistryKey(tx, current.kid, created + OVERLAP_MS, created);
    await putKey(tx, secrets, key);
  }

  /**
   * Drops every key and puts the given ones in place. The next key goes, too: a reader of the database
   * knows it.
   *
   * @example await RegistryKeys.replace(tx, secrets, await newRegistryKeys(Date.now()));
   */
  static async replace(tx: Transaction, secrets: Secrets, keys: NewRegistryKeys): Promise<void> {
    await deleteRegistryKeys(tx);
    for (const key of keys) await putKey(tx, secrets, key);
  }

  /** The key that signs now. */
  async current(): Promise<RegistryKey> {
    const current = (await this.published()).find((key) => !key.replaced);
    if (current === undefined) throw new Error("there is no key for registry tokens");
    return current;
  }

  /** Every key that registries should know: the one in use, the next one, those replaced lately. */
  async published(): Promise<readonly RegistryKey[]> {
    const version = await this.#store.accessVersion();
    if (version !== this.#version) await this.#reload(version);
    return this.#keys;
  }

  async #reload(version: number): Promise<void> {
    const now = Date.now();
    await makeFirst(this.#store, this.#secrets, now);
    const stored = await readRegistryKeys(this.#store.reader, now);
    const keys = await Promise.all(stored.map((key) => this.#parsed(key)));
    // The one in use comes first, for registries that read only one.
    this.#keys = [...keys.filter((key) => !key.replaced), ...keys.filter((key) => key.replaced)];
    this.#version = version;
  }

  /** A key never changes under its id: one that is known need not be opened again. */
  async #parsed({ kid, sealed, certificate, retires }: SealedRegistryKey): Promise<RegistryKey> {
    const replaced = retires !== null;
    const known = this.#keys.find((key) => key.kid === kid);
    if (known !== undefined) return { ...known, replaced };
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

/** The first two keys of an installation, made when a registry is first asked about. */
async function makeFirst(store: Store, secrets: Secrets, now: number): Promise<void> {
  if ((await readRegistryKeys(store.reader, now)).length > 0) return;
  const keys = await newRegistryKeys(now);
  await store.write(async (tx) => {
    await tx.acquireLock();
    if ((await readRegistryKeys(tx, now)).length > 0) return;
    for (const key of keys) await putKey(tx, secrets, key);
  });
}

interface NewRegistryKey extends StoredRegistryKey {
  /** The private key as JSON Web Key text. */
  readonly jwk: string;
}

/** A key to use, and the one after it. */
export type NewRegistryKeys = readonly [NewRegistryKey, NewRegistryKey];

/** @example const keys = await newRegistryKeys(Date.now()); */
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

async function putKey(tx: Transaction, secrets: Secrets, { jwk, ...key }: NewRegistryKey) {
  await addRegistryKey(tx, key);
  await secrets.put(tx, REGISTRY_KEYS, key.kid, jwk);
}

/**
 * The public halves as a JSON Web Key Set, for registries that take one.
 *
 * @example JSON.stringify(registryJwks(await keys.published()))
 */
export function registryJwks(keys: readonly RegistryKey[]): { keys: JWK[] } {
  return {
    keys: keys.map(({ kid, publicKey, x5c }) => ({
      ...(publicKey.export({ format: "jwk" }) as JWK),
      kid,
      alg: ALGORITHM,
      use: "sig",
      x5c: [...x5c],
    })),
  };
}
