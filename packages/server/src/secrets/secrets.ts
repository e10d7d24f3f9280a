import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { ConfigError, type Settings } from "../config.ts";
import type { Reader } from "../store/connection.ts";
import type { Transaction } from "../store/group-commit.ts";
import { readInstallation, settleInstallation } from "../store/installation.ts";
import { deleteSealed, readSealed, writeSealed } from "../store/secrets.ts";
import type { Store } from "../store/store.ts";
import { loadKey } from "./key.ts";

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Says how a value is sealed, should that ever change. */
const FORMAT = 1;

/** Where the installation keeps what tells its key from any other. */
const CHECK = "secret-key-check";

/**
 * Secrets that must be read again, such as those for a company's identity provider. Each is sealed
 * for its owner and name: moved to another row it cannot be opened.
 */
export class Secrets {
  readonly #key: Buffer;
  readonly #check: string;

  constructor(key: Buffer) {
    this.#key = key;
    this.#check = createHmac("sha256", key).update("wharf secret key").digest("base64url");
  }

  /**
   * Opens the secrets of a store. Refuses a key that is not the one they were sealed with.
   *
   * @example const secrets = await Secrets.open(settings, store);
   */
  static async open(settings: Settings, store: Store): Promise<Secrets> {
    const check = await readInstallation(store.reader, CHECK);
    const { key, from } = await loadKey(settings, store, check !== undefined);
    const secrets = new Secrets(key);
    if (check !== undefined && check !== secrets.#check) {
      throw new ConfigError(`${from} is not the key that the stored secrets were sealed with`);
    }
    return secrets;
  }

  /** @example await secrets.put(tx, provider, "client_secret", given); */
  async put(tx: Transaction, owner: string, name: string, secret: string): Promise<void> {
    // The first secret decides on the key. A replica that was started with another may not add one.
    const settled = await settleInstallation(tx, CHECK, this.#check);
    if (settled !== this.#check) throw new Error("secrets are sealed with another key by now");
    await writeSealed(tx, owner, name, this.seal(owner, name, secret));
  }

  /** The secret, or undefined where there is none. */
  async get(reader: Reader, owner: string, name: string): Promise<string | undefined> {
    const sealed = await readSealed(reader, owner, name);
    return sealed && this.unseal(owner, name, sealed);
  }

  async has(reader: Reader, owner: string, name: string): Promise<boolean> {
    return (await readSealed(reader, owner, name)) !== undefined;
  }

  async remove(tx: Transaction, owner: string, name: string): Promise<void> {
    await deleteSealed(tx, owner, name);
  }

  seal(owner: string, name: string, secret: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(belonging(owner, name));
    const body = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
    return Buffer.concat([Buffer.of(FORMAT), nonce, cipher.getAuthTag(), body]);
  }

  /** Throws unless it was sealed by this key for this owner and name. */
  unseal(owner: string, name: string, sealed: Uint8Array): string {
    if (sealed[0] !== FORMAT) throw new Error("the secret is sealed in a way that is not known");
    const tagAt = 1 + NONCE_BYTES;
    const bodyAt = tagAt + TAG_BYTES;
    const decipher = createDecipheriv(CIPHER, this.#key, sealed.subarray(1, tagAt), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(belonging(owner, name));
    decipher.setAuthTag(sealed.subarray(tagAt, bodyAt));
    return Buffer.concat([decipher.update(sealed.subarray(bodyAt)), decipher.final()]).toString();
  }
}

function belonging(owner: string, name: string): Buffer {
  return Buffer.from(JSON.stringify([owner, name]));
}
