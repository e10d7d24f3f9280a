import { AgeError, open, seal } from "./stanza.ts";

/** The content of a file, in chunks that are sealed one by one, so that it is never in memory as a whole. */

const CHUNK_BYTES = 64 * 1024;
const SEALED_BYTES = CHUNK_BYTES + 16;
const LAST = 1;

export async function* sealChunks(
  key: Buffer,
  source: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  for await (const { bytes, number, isLast } of chunks(source, CHUNK_BYTES))
    yield seal(key, nonceOf(number, isLast), bytes);
}

export async function* openChunks(
  key: Buffer,
  source: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  for await (const { bytes, number, isLast } of chunks(source, SEALED_BYTES)) {
    const opened = open(key, nonceOf(number, isLast), bytes);
    if (opened === undefined) throw new AgeError("it was changed or cut off");
    yield opened;
  }
}

interface Chunk {
  readonly bytes: Buffer;
  readonly number: number;
  readonly isLast: boolean;
}

/** Chunks of one size; the last one may be shorter, and is empty only if there is nothing at all. */
async function* chunks(source: AsyncIterable<Buffer>, size: number): AsyncGenerator<Chunk> {
  let parts: Buffer[] = [];
  let length = 0;
  let number = 0;
  for await (const part of source) {
    parts.push(part);
    length += part.length;
    if (length <= size) continue;
    let rest = Buffer.concat(parts);
    // One that is full may be the last one, which is sealed as such.
    for (; rest.length > size; rest = rest.subarray(size))
      yield { bytes: rest.subarray(0, size), number: number++, isLast: false };
    parts = [rest];
    length = rest.length;
  }
  yield { bytes: Buffer.concat(parts), number, isLast: true };
}

function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(number, 5, 6);
  if (isLast) nonce[11] = LAST;
  return nonce;
}
