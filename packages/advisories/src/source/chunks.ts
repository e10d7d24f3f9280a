import { tooLarge } from "../read/decode.ts";
import { READ_LIMITS } from "../read/limits.ts";

/** Bytes as they come. */
export type Chunks = AsyncIterable<Uint8Array>;

/** Enough to tell a tar, whose mark stands at 257. */
const HEAD_BYTES = 512;

/** How bytes begin, and all of them. */
export interface Peeked {
  readonly head: Buffer;
  readonly all: AsyncGenerator<Uint8Array>;
}

/**
 * Looks at the beginning without taking it away.
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
  const head = Buffer.concat(first);
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
 * All bytes of a document. Stops when there are more than a document may have.
 *
 * @example const bytes = await gather(entry);
 */
export async function gather(chunks: Chunks): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > READ_LIMITS.documentBytes) throw tooLarge();
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

/** How files are packed, by their first bytes. Each but zip packs one, which may be a tar. */
const MARKS = [
  ["gzip", "\x1f\x8b"],
  ["zstd", "\x28\xb5\x2f\xfd"],
  ["xz", "\xfd7zXZ\0"],
  ["bzip2", "BZh"],
  ["zip", "PK\x03\x04"],
  ["zip", "PK\x05\x06"],
] as const;

export type Packing = (typeof MARKS)[number][0];

export type Kind = Packing | "tar" | "document";

/** @example kindOf(Buffer.from("PK\u0003\u0004")) // "zip" */
export function kindOf(head: Buffer): Kind {
  const first = head.toString("latin1", 0, 8);
  const packing = MARKS.find(([, mark]) => first.startsWith(mark))?.[0];
  if (packing !== undefined) return packing;
  return head.toString("latin1", 257, 262) === "ustar" ? "tar" : "document";
}
