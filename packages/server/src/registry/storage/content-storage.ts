import type { Readable } from "node:stream";
import type { Part } from "../../store/tables/registry/uploads.ts";

/** A range of bytes, both ends included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The digest and size of a blob, as its row has them. */
export interface StoredBlob {
  readonly digest: string;
  readonly size: number;
}

/** Questions to the store about what is stored here. */
export interface ContentRows {
  /** The id of the folder that the store is bound to. */
  folder(): Promise<string | undefined>;
  /** The names of the parts that uploads list. */
  parts(): Promise<ReadonlySet<string>>;
  /** The subset of the digests that has a row. */
  blobs(digests: readonly string[]): Promise<ReadonlySet<string>>;
}

/** The result of comparing the stored content of a blob with its row. */
export interface Examined {
  /** The difference; undefined if there is none. */
  readonly problem: string | undefined;
  /** Identifies the content that was read: see ContentStorage.versionOf. */
  readonly version: string;
}

/** One of several equal shares of the blobs. */
export interface Share {
  readonly part: number;
  readonly of: number;
}

/** Counts of removed content. */
export interface Garbage {
  readonly parts: number;
  readonly blobs: number;
}

/** Storage of the registry's bytes. The store decides what exists; this has no list. */
export interface ContentStorage {
  /** Writes a part and flushes it. Rejects, and leaves nothing, if the chunks do. */
  writePart(chunks: AsyncIterable<Buffer>): Promise<Part>;
  /**
   * Makes parts a blob, if together they have its digest, and flushes it. Returns whether they have. A single part may
   * become the blob; others stay.
   */
  store(parts: readonly Part[], digest: string): Promise<boolean>;
  /** Reads a blob; undefined if there is none of this size. */
  read(blob: StoredBlob, range?: ByteRange): Promise<Readable | undefined>;
  /** The size of a blob; undefined if there is none. */
  sizeOf(digest: string): Promise<number | undefined>;
  /**
   * Reads a blob again and compares its size and digest. `pace` is awaited after each read, with the number of bytes: its
   * rejection ends the examination.
   */
  examine(blob: StoredBlob, pace: (bytes: number) => Promise<void>): Promise<Examined>;
  /** A text that changes whenever the content of a blob is stored again; empty if there is none. */
  versionOf(digest: string): Promise<string>;
  /** The id of the place where the content is; undefined if it cannot be reached. */
  folderId(): string | undefined;
  /** Removes parts, also such that are not there. */
  removeParts(parts: readonly Pick<Part, "name">[]): Promise<void>;
  /** Removes parts without a row that were written before a time, and blobs of a share; of all without one. */
  removeGarbage(before: number, rows: ContentRows, share?: Share): Promise<Garbage>;
  /**
   * Removes blobs whose rows were deleted, unless they were stored since a time or have a row again: a push may store them
   * at any moment.
   */
  removeBlobs(digests: readonly string[], before: number, rows: ContentRows): Promise<void>;
  /** Bytes that can still be written. */
  freeBytes(): Promise<number>;
  close(): Promise<void>;
}
