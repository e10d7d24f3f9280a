import { type KeyObject, randomBytes } from "node:crypto";
import { readHeader, writeHeader } from "./header.ts";
import { openWithPassphrase, sealWithPassphrase } from "./passphrase.ts";
import { openChunks, sealChunks } from "./payload.ts";
import { AgeError, FILE_KEY_BYTES, hkdf, type Stanza } from "./stanza.ts";
import { openWithIdentity, sealForRecipient } from "./x25519.ts";

/**
 * Encrypted files in the format of age (https://age-encryption.org/v1): any tool that reads it opens them. A file has a
 * key of its own, which the header has sealed: for recipients, or with a passphrase.
 */

/** Who can open a file. */
export type Lock =
  | { readonly recipients: readonly KeyObject[] }
  /** The cost of guessing it is a power of two; a low one makes tests fast. */
  | { readonly passphrase: string; readonly workFactor?: number };

/** What opens a file. */
export type Unlock =
  | { readonly identities: readonly KeyObject[] }
  | { readonly passphrase: string }
  /** Of a file that this process has written. */
  | { readonly fileKey: Buffer };

const NONCE_BYTES = 16;

/** The beginning of a file and what seals its content. */
export interface AgeFile {
  readonly fileKey: Buffer;
  encrypt(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer>;
}

export async function createAgeFile(lock: Lock): Promise<AgeFile> {
  const fileKey = randomBytes(FILE_KEY_BYTES);
  const stanzas =
    "passphrase" in lock
      ? [await sealWithPassphrase(fileKey, lock.passphrase, lock.workFactor)]
      : lock.recipients.map((recipient) => sealForRecipient(fileKey, recipient));
  return {
    fileKey,
    async *encrypt(content) {
      const nonce = randomBytes(NONCE_BYTES);
      yield Buffer.concat([Buffer.from(writeHeader(stanzas, fileKey)), nonce]);
      yield* sealChunks(payloadKey(fileKey, nonce), content);
    },
  };
}

/** The content of a file. Throws an AgeError where it was changed or cut off: use nothing before the end. */
export async function* decrypt(
  source: AsyncIterable<Buffer>,
  unlock: Unlock,
): AsyncGenerator<Buffer> {
  const iterator = source[Symbol.asyncIterator]();
  const { header, rest } = await readHeader(iterator);
  const fileKey = await openHeader(header.stanzas, unlock);
  if (!header.isOf(fileKey)) throw new AgeError("its header was changed");
  let read = rest;
  while (read.length < NONCE_BYTES) {
    const { done, value } = await iterator.next();
    if (done) throw new AgeError("it was cut off");
    read = Buffer.concat([read, value]);
  }
  const key = payloadKey(fileKey, read.subarray(0, NONCE_BYTES));
  yield* openChunks(key, remaining(read.subarray(NONCE_BYTES), iterator));
}

async function openHeader(stanzas: readonly Stanza[], unlock: Unlock): Promise<Buffer> {
  if ("fileKey" in unlock) return unlock.fileKey;
  const isByPassphrase = stanzas.length === 1 && stanzas[0]?.type === "scrypt";
  if ("passphrase" in unlock) {
    if (!isByPassphrase) throw new AgeError("it is for recipients, not for a passphrase");
    const fileKey = await openWithPassphrase(stanzas[0] as Stanza, unlock.passphrase);
    if (fileKey === undefined) throw new AgeError("the passphrase is another one");
    return fileKey;
  }
  if (isByPassphrase) throw new AgeError("it is for a passphrase, not for recipients");
  for (const identity of unlock.identities)
    for (const stanza of stanzas) {
      const fileKey = openWithIdentity(stanza, identity);
      if (fileKey !== undefined) return fileKey;
    }
  throw new AgeError("it is for other recipients than these identities");
}

function payloadKey(fileKey: Buffer, nonce: Buffer): Buffer {
  return hkdf(fileKey, nonce, "payload");
}

async function* remaining(first: Buffer, iterator: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first;
  for (;;) {
    const { done, value } = await iterator.next();
    if (done) return;
    yield value;
  }
}
