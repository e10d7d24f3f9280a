import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Says how a value is sealed, should that ever change. */
const FORMAT = 1;

/** Seals values with one key, each for its owner and name: moved to another row it cannot be opened. */
export class Cipher {
  /** Tells the key from any other, and gives nothing of it away. */
  readonly check: string;
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
    this.check = createHmac("sha256", key).update("wharf secret key").digest("base64url");
  }

  seal(owner: string, name: string, secret: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(associatedData(owner, name));
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
    decipher.setAAD(associatedData(owner, name));
    decipher.setAuthTag(sealed.subarray(tagAt, bodyAt));
    return Buffer.concat([decipher.update(sealed.subarray(bodyAt)), decipher.final()]).toString();
  }
}

function associatedData(owner: string, name: string): Buffer {
  return Buffer.from(JSON.stringify([owner, name]));
}
