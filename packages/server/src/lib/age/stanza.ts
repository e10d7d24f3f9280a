import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";

/** A stanza of the header: the key of the file, sealed for one recipient or with a passphrase. */
export interface Stanza {
  readonly type: string;
  readonly args: readonly string[];
  readonly body: Buffer;
}

/** A file that cannot be read: it is not an age file, was changed or cut off, or is for another key. */
export class AgeError extends Error {
  override readonly name = "AgeError";
}

export const FILE_KEY_BYTES = 16;

const TAG_BYTES = 16;
/** Each wrapping key seals once. */
const NONCE = Buffer.alloc(12);

export function sealKey(key: Buffer, fileKey: Buffer): Buffer {
  return seal(key, NONCE, fileKey);
}

/** Undefined if it was sealed with another key. */
export function openKey(key: Buffer, sealed: Buffer): Buffer | undefined {
  return sealed.length === FILE_KEY_BYTES + TAG_BYTES ? open(key, NONCE, sealed) : undefined;
}

/** ChaCha20-Poly1305: the ciphertext, and its tag. */
export function seal(key: Buffer, nonce: Buffer, plaintext: Buffer): Buffer {
  const cipher = createCipheriv("chacha20-poly1305", key, nonce, { authTagLength: TAG_BYTES });
  const ciphertext = cipher.update(plaintext);
  return Buffer.concat([ciphertext, cipher.final(), cipher.getAuthTag()]);
}

/** Undefined unless it was sealed with this key and nonce. */
export function open(key: Buffer, nonce: Buffer, sealed: Buffer): Buffer | undefined {
  if (sealed.length < TAG_BYTES) return undefined;
  const decipher = createDecipheriv("chacha20-poly1305", key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  const plaintext = decipher.update(sealed.subarray(0, -TAG_BYTES));
  try {
    return Buffer.concat([plaintext, decipher.final()]);
  } catch {
    return undefined;
  }
}

export function hkdf(secret: Buffer, salt: Buffer, info: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, salt, info, 32));
}

/** Without padding. */
export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64").replaceAll("=", "");
}

/** Undefined unless it is written as `base64` does. */
export function fromBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  return base64(bytes) === text ? bytes : undefined;
}
