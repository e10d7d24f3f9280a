import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";

export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;

/** The parts of an encrypted text; each format puts them in its own order. */
export interface Encrypted {
  readonly nonce: Uint8Array;
  readonly ciphertext: Uint8Array;
  readonly tag: Uint8Array;
}

/** Encrypts a text with AES-256-GCM and a random nonce. The associated data is authenticated, not kept. */
export function encrypt(key: Buffer, text: string, associatedData: string): Encrypted {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(associatedData));
  const ciphertext = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return { nonce, ciphertext, tag: cipher.getAuthTag() };
}

/** Throws unless the text was encrypted with this key and these associated data. */
export function decrypt(
  key: Buffer,
  { nonce, ciphertext, tag }: Encrypted,
  associatedData: string,
): string {
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(associatedData));
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString("utf8");
}
