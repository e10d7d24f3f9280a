import type { Chunks } from "./chunks.ts";

/** Bytes that can be read at any position, such as a file or a Blob. */
export interface RandomAccess {
  readonly size: number;
  /** Reads `length` bytes at a position; fewer at the end. */
  read(position: number, length: number): Promise<Uint8Array>;
  /** All bytes in order. */
  stream(): Chunks;
}

/**
 * The bytes of a Blob or a File.
 *
 * @example blobBytes(input.files[0])
 */
export function blobBytes(blob: Blob): RandomAccess {
  return {
    size: blob.size,
    read: async (position, length) =>
      new Uint8Array(await blob.slice(position, position + length).arrayBuffer()),
    stream: async function* () {
      const reader = blob.stream().getReader();
      try {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) return;
          yield value;
        }
      } finally {
        await reader.cancel();
      }
    },
  };
}

/** Joins chunks, with their total length. */
export function concat(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    joined.set(chunk, at);
    at += chunk.length;
  }
  return joined;
}
