import { ConfigError, type Settings } from "../config/settings.ts";
import { WharfError } from "../lib/errors.ts";
import type { Reader } from "../store/db/connection.ts";
import type { Transaction } from "../store/db/group-commit.ts";
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
import { dropStoredKey, loadKey, WHAT_TO_DO } from "./key.ts";
import { sealUnsealed } from "./upgrade.ts";

/** Where the installation keeps what tells its key from any other. */
const CHECK = "secret-key-check";

/** Reads the key again from where the settings say that it is. */
type ReadKey = () => Promise<Buffer>;

/**
 * Everything that is kept sealed: private keys, secrets of the installation, and those of
 * resources, such as the client secret of an identity provider.
 */
export class Secrets {
  #cipher: Cipher;
  readonly #readKey: ReadKey;

  constructor(key: Buffer, readKey: ReadKey = async () => key) {
    this.#cipher = new Cipher(key);
    this.#readKey = readKey;
  }

  /**
   * Opens the secrets of a store, and seals what an older version kept in plain. Refuses a key that is
   * not the one they were sealed with. The first to open a store decides on its key.
   *
   * @example const secrets = await Secrets.open(settings, store);
   */
  static async open(settings: Settings, store: Store): Promise<Secrets> {
    const known = await readInstallation(store.reader, CHECK);
    const { key, from } = await loadKey(settings, store, known !== undefined);
    const secrets = new Secrets(key, async () => (await loadKey(settings, store, true)).key);
    const { check } = secrets.#cipher;
    const settled =
      known ??
      (await store.write(async (tx) => {
        const first = await initInstallation(tx, CHECK, check);
        if (first === check && settings.secretKeyFile !== "") await dropStoredKey(tx);
        return first;
      }));
    if (settled !== check) {
      throw new ConfigError(
        `${from} is not the key that stored keys and secrets were sealed with. ${WHAT_TO_DO}`,
      );
    }
    await sealUnsealed(store, secrets);
    return secrets;
  }

  /** @example await secrets.put(tx, provider, "client_secret", given); */
  async put(tx: Transaction, owner: string, name: string, secret: string): Promise<void> {
    // Held, so that nothing is sealed with the old key while all is sealed again with a new one.
    const held = await lockInstallation(tx, CHECK);
    const settled = held ?? (await initInstallation(tx, CHECK, this.#cipher.check));
    if (settled !== this.#cipher.check) await this.#followTo(settled);
    await writeSealed(tx, owner, name, this.seal(owner, name, secret));
  }

  /** The secret, or undefined where there is none. */
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
   * Opens a sealed value. If all was sealed again with a new key, that is read from where this
   * server's key is kept, so that replacing the file is enough.
   *
   * @example const jwk = await secrets.openSealed(store.reader, "signing-keys", kid, sealed);
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
      await this.#followTo(settled);
      return this.unseal(owner, name, sealed);
    }
  }

  /**
   * Seals everything again with another key. Servers that have the old key read the new one from where
   * theirs is kept, when they next need it.
   *
   * @example await store.write((tx) => secrets.reseal(tx, key));
   */
  async reseal(tx: Transaction, key: Buffer): Promise<number> {
    await tx.acquireLock();
    const next = new Cipher(key);
    const settled = await readInstallation(tx, CHECK);
    if (settled !== this.#cipher.check) throw sealedWithAnotherKey();
    // Written first: from here on, nobody can put anything that is sealed with the old key.
    await replaceInstallation(tx, CHECK, next.check);
    await secureDelete(tx, true);
    const rows = await readAllSealed(tx);
    for (const { owner, name, sealed } of rows)
      await writeSealed(tx, owner, name, next.seal(owner, name, this.unseal(owner, name, sealed)));
    await dropStoredKey(tx);
    await secureDelete(tx, false);
    return rows.length;
  }

  /**
   * Drops everything that was sealed with a key that is lost; this one seals from now on.
   *
   * @example await store.write((tx) => secrets.replaceLostKey(tx));
   */
  async replaceLostKey(tx: Transaction): Promise<void> {
    await tx.acquireLock();
    await replaceInstallation(tx, CHECK, this.#cipher.check);
    await deleteAllSealed(tx);
    await deleteUnsealed(tx);
  }

  /** Whether this is the key that the store is sealed with. */
  async isKeyOf(reader: Reader): Promise<boolean> {
    return (await readInstallation(reader, CHECK)) === this.#cipher.check;
  }

  seal(owner: string, name: string, secret: string): Buffer {
    return this.#cipher.seal(owner, name, secret);
  }

  /** Throws unless it was sealed by this key for this owner and name. */
  unseal(owner: string, name: string, sealed: Uint8Array): string {
    return this.#cipher.unseal(owner, name, sealed);
  }

  /** Changes over to the key with this check, if it is where this server's key is kept. */
  async #followTo(check: string): Promise<void> {
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
