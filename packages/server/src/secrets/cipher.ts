import { createHmac } from "node:crypto";
import { decrypt, encrypt, NONCE_BYTES, TAG_BYTES } from "../lib/crypto/aes-gcm.ts";

/** The first byte of a sealed value: format, nonce, tag, ciphertext. */
const FORMAT = 1;

const TAG_OFFSET = 1 + NONCE_BYTES;
const CIPHERTEXT_OFFSET = TAG_OFFSET + TAG_BYTES;

/** Seals values with one key, bound to their owner and name: moved to another row they do not open. */
export class Cipher {
  /** Identifies the key without revealing anything of it. */
  readonly check: string;
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
    this.check = createHmac("sha256", key).update("wharf secret key").digest("base64url");
  }

  seal(owner: string, name: string, secret: string): Buffer {
    const { nonce, tag, ciphertext } = encrypt(this.#key, secret, associatedData(owner, name));
    return Buffer.concat([Buffer.of(FORMAT), nonce, tag, ciphertext]);
  }

  /** Throws unless the value was sealed with this key for this owner and name. */
  unseal(owner: string, name: string, sealed: Uint8Array): string {
    if (sealed[0] !== FORMAT) throw new Error(`unknown format ${sealed[0]} of a sealed secret`);
    const encrypted = {
      nonce: sealed.subarray(1, TAG_OFFSET),
      tag: sealed.subarray(TAG_OFFSET, CIPHERTEXT_OFFSET),
      ciphertext: sealed.subarray(CIPHERTEXT_OFFSET),
    };
    return decrypt(this.#key, encrypted, associatedData(owner, name));
  }
}

function associatedData(owner: string, name: string): string {
  return JSON.stringify([owner, name]);
}
