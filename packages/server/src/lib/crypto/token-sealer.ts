import { hkdfSync } from "node:crypto";
import { decrypt, encrypt, NONCE_BYTES, TAG_BYTES } from "./aes-gcm.ts";

const KEY_BYTES = 32;

/**
 * Seals texts into opaque tokens: base64url of nonce, ciphertext and tag. The key is derived from a
 * secret of the installation, which all replicas share and a rotation replaces.
 */
export class TokenSealer {
  readonly #secret: () => Buffer;
  readonly #info: string;
  #derived: { readonly from: Buffer; readonly key: Buffer } | undefined;

  /** The info separates the keys of different uses of one secret (HKDF, RFC 5869). */
  constructor(secret: () => Buffer, info: string) {
    this.#secret = secret;
    this.#info = info;
  }

  /** The key of the current secret: the same object until a rotation. */
  get key(): Buffer {
    const from = this.#secret();
    if (this.#derived?.from !== from) {
      const key = Buffer.from(hkdfSync("sha256", from, "", this.#info, KEY_BYTES));
      this.#derived = { from, key };
    }
    return this.#derived.key;
  }

  seal(text: string, associatedData = ""): string {
    const { nonce, ciphertext, tag } = encrypt(this.key, text, associatedData);
    return Buffer.concat([nonce, ciphertext, tag]).toString("base64url");
  }

  /** The sealed text; undefined if the token is malformed, or sealed with other data or another key. */
  open(token: string, associatedData = ""): string | undefined {
    const bytes = Buffer.from(token, "base64url");
    if (bytes.length <= NONCE_BYTES + TAG_BYTES) return undefined;
    // Only the canonical encoding is accepted: equal tokens have equal texts.
    if (bytes.toString("base64url") !== token) return undefined;
    const encrypted = {
      nonce: bytes.subarray(0, NONCE_BYTES),
      ciphertext: bytes.subarray(NONCE_BYTES, -TAG_BYTES),
      tag: bytes.subarray(-TAG_BYTES),
    };
    try {
      return decrypt(this.key, encrypted, associatedData);
    } catch {
      return undefined;
    }
  }
}
