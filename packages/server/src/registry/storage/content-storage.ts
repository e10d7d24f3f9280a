import type { Readable } from "node:stream";
import type { Part } from "../../store/tables/registry/uploads.ts";

/** A range of bytes, both ends included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Where the bytes of the registry are. The store decides what exists; this has no list. */
export interface ContentStorage {
  /** Writes a part and flushes it. Rejects, and leaves nothing, if the chunks do. */
  writePart(chunks: AsyncIterable<Buffer>): Promise<Part>;
  /** Makes parts a blob, if together they have its digest, and flushes it. Returns whether they have. The parts stay. */
  store(parts: readonly Part[], digest: string): Promise<boolean>;
  /** Reads a blob; undefined if there is none. */
  read(digest: string, range?: ByteRange): Promise<Readable | undefined>;
  /** The size of a blob; undefined if there is none. */
  sizeOf(digest: string): Promise<number | undefined>;
  /** Removes parts, also such that are not there. */
  removeParts(parts: readonly Pick<Part, "name">[]): Promise<void>;
  /** Bytes that can still be written. */
  freeBytes(): Promise<number>;
  close(): Promise<void>;
}
