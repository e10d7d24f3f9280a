import type { Readable } from "node:stream";
import type { Part } from "../../store/tables/registry/uploads.ts";

/** A range of bytes, both ends included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Questions to the store about what is stored here. */
export interface ContentRows {
  /** The id of the folder that the store is bound to. */
  folder(): Promise<string | undefined>;
  /** The names of the parts that uploads list. */
  parts(): Promise<ReadonlySet<string>>;
  /** Those of the digests that have a row. */
  blobs(digests: readonly string[]): Promise<ReadonlySet<string>>;
}

/** How much was removed. */
export interface Garbage {
  readonly parts: number;
  readonly blobs: number;
}

/** Where the bytes of the registry are. The store decides what exists; this has no list. */
export interface ContentStorage {
  /** Writes a part and flushes it. Rejects, and leaves nothing, if the chunks do. */
  writePart(chunks: AsyncIterable<Buffer>): Promise<Part>;
  /**
   * Makes parts a blob, if together they have its digest, and flushes it. Returns whether they have. A single part may
   * become the blob; others stay.
   */
  store(parts: readonly Part[], digest: string): Promise<boolean>;
  /** Reads a blob; undefined if there is none. */
  read(digest: string, range?: ByteRange): Promise<Readable | undefined>;
  /** The size of a blob; undefined if there is none. */
  sizeOf(digest: string): Promise<number | undefined>;
  /** Removes parts, also such that are not there. */
  removeParts(parts: readonly Pick<Part, "name">[]): Promise<void>;
  /** Removes parts and blobs without a row that were written before a time. */
  removeGarbage(before: number, rows: ContentRows): Promise<Garbage>;
  /** Bytes that can still be written. */
  freeBytes(): Promise<number>;
  close(): Promise<void>;
}
