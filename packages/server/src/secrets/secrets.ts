import { ConfigError, type Settings } from "../config/settings.ts";
import { WharfError } from "../lib/errors.ts";
import type { Transaction } from "../store/db/commit/transaction.ts";
import type { Reader } from "../store/db/connection.ts";
import type { Store } from "../store/db/store.ts";
import {
  initInstallation,
  lockInstallation,
  readInstallation,
  replaceInstallation,
} from "../store/tables/installation.ts";
import {
  deleteAllSealed,
  deleteSealed,
  deleteUnsealed,
  readAllSealed,
  readSealed,
  secureDelete,
  writeSealed,
} from "../store/tables/secrets.ts";
import { Cipher } from "./cipher.ts";
import { dropStoredKey, loadKey, RECOVERY_HINT } from "./key.ts";
import { sealUnsealed } from "./upgrade.ts";

/** The row that identifies the key of the installation. */
const CHECK = "secret-key-check";

/** Reads the key again from its source. */
type ReadKey = () => Promise<Buffer>;

/**
 * Stores secrets sealed: private keys, secrets of the installation, and those of resources, such as the
 * client secret of an identity provider.
 */
export class Secrets {
  #cipher: Cipher;
  readonly #readKey: ReadKey;

  constructor(key: Buffer, readKey: ReadKey = async () => key) {
    this.#cipher = new Cipher(key);
    this.#readKey = readKey;
  }

  /**
   * Opens the secrets of a store, and seals those that an older version stored in plaintext. Throws if
   * they were sealed with another key. The first server that opens a store sets its key.
   */
  static async open(settings: Settings, store: Store): Promise<Secrets> {
    const stored = await readInstallation(store.reader, CHECK);
    const { key, from } = await loadKey(settings, store, stored !== undefined);
    const secrets = new Secrets(key, async () => (await loadKey(settings, store, true)).key);
    const { check } = secrets.#cipher;
    const settled =
      stored ??
      (await store.write(async (tx) => {
        const first = await initInstallation(tx, CHECK, check);
        if (first === check && settings.secretKeyFile !== "") await dropStoredKey(tx);
        return first;
      }));
    if (settled !== check) {
      throw new ConfigError(
        `${from} is not the key that stored keys and secrets were sealed with. ${RECOVERY_HINT}`,
      );
    }
    await sealUnsealed(store, secrets);
    return secrets;
  }

  async put(tx: Transaction, owner: string, name: string, secret: string): Promise<void> {
    // Locked, so that nothing is sealed with the old key during a reseal.
    const locked = await lockInstallation(tx, CHECK);
    const settled = locked ?? (await initInstallation(tx, CHECK, this.#cipher.check));
    if (settled !== this.#cipher.check) await this.#switchToKey(settled);
    await writeSealed(tx, owner, name, this.seal(owner, name, secret));
  }

  /** A secret; undefined if it does not exist. */
  async get(reader: Reader, owner: string, name: string): Promise<string | undefined> {
    const sealed = await readSealed(reader, owner, name);
    return sealed && (await this.openSealed(reader, owner, name, sealed));
  }

  async has(reader: Reader, owner: string, name: string): Promise<boolean> {
    return (await readSealed(reader, owner, name)) !== undefined;
  }

  async remove(tx: Transaction, owner: string, name: string): Promise<void> {
    await deleteSealed(tx, owner, name);
  }

  /**
   * Opens a sealed value. After a reseal, the new key is read from its source, so replacing the key file
   * is enough.
   */
  async openSealed(
    reader: Reader,
    owner: string,
    name: string,
    sealed: Uint8Array,
  ): Promise<string> {
    try {
      return this.unseal(owner, name, sealed);
    } catch (error) {
      const settled = await readInstallation(reader, CHECK);
      if (settled === undefined || settled === this.#cipher.check) throw error;
      await this.#switchToKey(settled);
      return this.unseal(owner, name, sealed);
    }
  }

  /**
   * Reseals everything with another key. Running servers read the new key from its source on their next
   * access.
   */
  async reseal(tx: Transaction, key: Buffer): Promise<number> {
    await tx.acquireLock();
    const next = new Cipher(key);
    const settled = await readInstallation(tx, CHECK);
    if (settled !== this.#cipher.check) throw sealedWithAnotherKey();
    // First, so that no server can store a value sealed with the old key from here on.
    await replaceInstallation(tx, CHECK, next.check);
    await secureDelete(tx, true);
    const rows = await readAllSealed(tx);
    for (const { owner, name, sealed } of rows)
      await writeSealed(tx, owner, name, next.seal(owner, name, this.unseal(owner, name, sealed)));
    await dropStoredKey(tx);
    await secureDelete(tx, false);
    return rows.length;
  }

  /** Deletes everything that was sealed with a lost key, and uses this key from now on. */
  async replaceLostKey(tx: Transaction): Promise<void> {
    await tx.acquireLock();
    await replaceInstallation(tx, CHECK, this.#cipher.check);
    await deleteAllSealed(tx);
    await deleteUnsealed(tx);
  }

  /** Whether the store is sealed with this key. */
  async isKeyOf(reader: Reader): Promise<boolean> {
    return (await readInstallation(reader, CHECK)) === this.#cipher.check;
  }

  seal(owner: string, name: string, secret: string): Buffer {
    return this.#cipher.seal(owner, name, secret);
  }

  /** Throws unless the value was sealed with this key for this owner and name. */
  unseal(owner: string, name: string, sealed: Uint8Array): string {
    return this.#cipher.unseal(owner, name, sealed);
  }

  /** Switches to the key with this check, if the source has it now. */
  async #switchToKey(check: string): Promise<void> {
    const key = await this.#readKey().catch((error: unknown) => {
      throw sealedWithAnotherKey(error);
    });
    const cipher = new Cipher(key);
    if (cipher.check !== check) throw sealedWithAnotherKey();
    this.#cipher = cipher;
  }
}

function sealedWithAnotherKey(cause?: unknown): WharfError {
  const text = "stored keys and secrets are sealed with another key than this server has";
  return new WharfError("UNAVAILABLE", text, undefined, cause);
}
