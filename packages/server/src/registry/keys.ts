import { createPrivateKey, createPublicKey, KeyObject, webcrypto } from "node:crypto";
import type { JWK } from "jose";
import { ALGORITHM } from "../auth/keys.ts";
import {
  addRegistryKey,
  readRegistryKeys,
  retireRegistryKey,
  type StoredRegistryKey,
} from "../store/registry-keys.ts";
import type { Store } from "../store/store.ts";
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
  #keys: readonly RegistryKey[] = [];
  #version = -1;

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Puts the next key in place, and makes the one after it. Does nothing where no registry was ever
   * asked about.
   *
   * @example await RegistryKeys.rotate(store);
   */
  static async rotate(store: Store): Promise<void> {
    const now = Date.now();
    if ((await readRegistryKeys(store.reader, now)).length === 0) return;
    const key = await newKey(now);
    await store.write(async (tx) => {
      await tx.takeTurn();
      const [current] = (await readRegistryKeys(tx, now)).filter(({ retires }) => retires === null);
      if (current !== undefined) await retireRegistryKey(tx, current.kid, now + OVERLAP_MS, now);
      await addRegistryKey(tx, key);
    });
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
    await makeFirst(this.#store, now);
    const keys = (await readRegistryKeys(this.#store.reader, now)).map(parsed);
    // The one in use comes first, for registries that read only one.
    this.#keys = [...keys.filter((key) => !key.replaced), ...keys.filter((key) => key.replaced)];
    this.#version = version;
  }
}

/** The first two keys of an installation, made when a registry is first asked about. */
async function makeFirst(store: Store, now: number): Promise<void> {
  if ((await readRegistryKeys(store.reader, now)).length > 0) return;
  const first = await newKey(now);
  const next = await newKey(now + 1);
  await store.write(async (tx) => {
    await tx.takeTurn();
    if ((await readRegistryKeys(tx, now)).length > 0) return;
    await addRegistryKey(tx, first);
    await addRegistryKey(tx, next);
  });
}

async function newKey(now: number): Promise<StoredRegistryKey> {
  const curve = { name: "ECDSA", namedCurve: "P-256" };
  const pair = await webcrypto.subtle.generateKey(curve, true, ["sign", "verify"]);
  return {
    kid: keyId(KeyObject.from(pair.publicKey)),
    private_jwk: JSON.stringify(await webcrypto.subtle.exportKey("jwk", pair.privateKey)),
    certificate: await selfSigned(pair, now),
    created: now,
    retires: null,
  };
}

function parsed({ kid, private_jwk, certificate, retires }: StoredRegistryKey): RegistryKey {
  const privateKey = createPrivateKey({ key: JSON.parse(private_jwk), format: "jwk" });
  const body = certificate.replace(/-----[A-Z ]+-----|\s/g, "");
  return {
    kid,
    privateKey,
    publicKey: createPublicKey(privateKey),
    certificate,
    x5c: [body],
    replaced: retires !== null,
  };
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
