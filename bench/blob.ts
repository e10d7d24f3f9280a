/** Blobs for pushes and pulls: made from a number, so that no process needs to hold or send them. */
import { createHash } from "node:crypto";

export interface Blob {
  readonly seed: number;
  readonly bytes: number;
  readonly digest: string;
}

const BLOCK_BYTES = 1024 * 1024;

/** The block that a blob repeats. */
export function blockOf({ seed, bytes }: Pick<Blob, "seed" | "bytes">): Buffer {
  const block = Buffer.alloc(Math.min(bytes, BLOCK_BYTES));
  for (let at = 0; at + 4 <= block.length; at += 4) {
    block.writeUInt32LE(Math.imul(at + seed * 2_654_435, 2_654_435_761) >>> 0, at);
  }
  return block;
}

/** @param bytes A multiple of the size of a block, or less than one. */
export function makeBlob(seed: number, bytes: number): Blob {
  const block = blockOf({ seed, bytes });
  const hash = createHash("sha256");
  for (let at = 0; at < bytes; at += block.length) hash.update(block);
  return { seed, bytes, digest: `sha256:${hash.digest("hex")}` };
}
