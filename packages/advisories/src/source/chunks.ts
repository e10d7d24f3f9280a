import { tooLarge } from "../read/decode.ts";
import { concat } from "./bytes.ts";

/** A stream of bytes. */
export type Chunks = AsyncIterable<Uint8Array>;

/** Includes the magic number of tar, which is at offset 257. */
const HEAD_BYTES = 512;

/** A stream with its first bytes. */
export interface Peeked {
  readonly head: Uint8Array;
  readonly all: AsyncGenerator<Uint8Array>;
}

/**
 * Reads the first bytes of a stream without consuming them.
 *
 * @example const { head, all } = await peek(process.stdin);
 */
export async function peek(chunks: Chunks): Promise<Peeked> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let length = 0;
  while (length < HEAD_BYTES) {
    const { done, value } = await iterator.next();
    if (done) break;
    first.push(value);
    length += value.length;
  }
  const head = concat(first, length);
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      if (head.length > 0) yield head;
      yield* { [Symbol.asyncIterator]: () => iterator };
    } finally {
      await iterator.return?.();
    }
  }
  return { head, all: all() };
}

/**
 * Reads a whole document. Throws when it exceeds the limit.
 *
 * @example const bytes = await readAll(entry, limits.documentBytes);
 */
export async function readAll(chunks: Chunks, maxBytes: number): Promise<Uint8Array> {
  const read: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    read.push(chunk);
  }
  return concat(read, length);
}

/** The magic numbers of compressed files and zip archives. Each but zip contains one file, which may be a tar. */
const MAGIC_NUMBERS = [
  ["gzip", "\x1f\x8b"],
  ["zstd", "\x28\xb5\x2f\xfd"],
  ["xz", "\xfd7zXZ\0"],
  ["bzip2", "BZh"],
  ["zip", "PK\x03\x04"],
  ["zip", "PK\x05\x06"],
] as const;

export type Compression = (typeof MAGIC_NUMBERS)[number][0];

export type Kind = Compression | "tar" | "document";

/** @example kindOf(new TextEncoder().encode("PK\u0003\u0004")) // "zip" */
export function kindOf(head: Uint8Array): Kind {
  const first = latin1(head.subarray(0, 8));
  const compression = MAGIC_NUMBERS.find(([, magic]) => first.startsWith(magic))?.[0];
  if (compression !== undefined) return compression;
  return latin1(head.subarray(257, 262)) === "ustar" ? "tar" : "document";
}

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
