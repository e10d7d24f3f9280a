import { randomUUID } from "node:crypto";
import { appendFile, close, createReadStream, open, read, unlinkSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { promisify } from "node:util";

// Descriptors, not handles: Node.js ends a process in which the last reference to an open handle is lost.
const openFile = promisify(open);
const closeFile = promisify(close);
const append = promisify(appendFile);

/** Bounds of the archives that are cached, in one process. */
export interface ArchiveCacheLimits {
  readonly maxBytes: number;
  readonly maxFiles: number;
  /** Paths can be written in many ways, each with a tag of its own: one group must not displace the archives of others. */
  readonly maxFilesPerGroup: number;
}

const LIMITS: ArchiveCacheLimits = {
  maxBytes: 2 ** 30,
  maxFiles: 64,
  maxFilesPerGroup: 8,
};

/** Bytes of a write. */
const CHUNK_BYTES = 256 * 1024;

/** Bytes of a read. */
const READ_BYTES = 512 * 1024;

/** An archive that is identified by its state, and the group that it is of. */
export interface ArchiveKey {
  readonly state: string;
  readonly group: string;
}

interface CachedArchive {
  readonly group: string;
  readonly file: number;
  readonly bytes: number;
  readers: number;
  isDropped: boolean;
}

export interface OpenArchive {
  readonly bytes: number;
  readonly content: Readable;
}

/**
 * Archives of feeds on disk, by the state of the feed, so that an unchanged one is generated once. An archive has the same
 * content for everyone who may read the feed, which callers check before. Files have no name: they are deleted once they
 * are open, so a process leaves none behind however it ends, and no other one finds a part of one.
 */
export class ArchiveCache {
  readonly #folder: string;
  readonly #limits: ArchiveCacheLimits;
  /** The least recently used comes first. */
  readonly #cached = new Map<string, CachedArchive>();

  constructor(folder: string, limits: ArchiveCacheLimits = LIMITS) {
    this.#folder = folder;
    this.#limits = limits;
  }

  /** Opens an archive. Its content must be read to the end or destroyed. */
  open({ state }: ArchiveKey): OpenArchive | undefined {
    const cached = this.#cached.get(state);
    if (cached === undefined) return undefined;
    this.#cached.delete(state);
    this.#cached.set(state, cached);
    return { bytes: cached.bytes, content: readArchive(cached) };
  }

  /**
   * Caches the chunks once all of them were read. One that is too large, or that cannot be written, as on a full disk,
   * is not cached; its chunks are the same.
   */
  async *caching(
    key: ArchiveKey,
    chunks: AsyncIterable<string | Uint8Array>,
  ): AsyncGenerator<Uint8Array> {
    let file: number | undefined;
    let bytes = 0;
    const write = async (buffer: Buffer) => {
      bytes += buffer.length;
      if (file === undefined) return;
      const isWritten =
        bytes <= this.#limits.maxBytes && (await append(file, buffer).then(yes, no));
      if (isWritten) return;
      await closeFile(file).catch(no);
      file = undefined;
    };
    try {
      file = await nameless(this.#folder).catch(() => undefined);
      let waiting: Buffer[] = [];
      let size = 0;
      for await (const chunk of chunks) {
        const buffer = Buffer.from(chunk as string);
        waiting.push(buffer);
        size += buffer.length;
        if (size < CHUNK_BYTES) continue;
        const whole = Buffer.concat(waiting);
        waiting = [];
        size = 0;
        await write(whole);
        yield whole;
      }
      const rest = Buffer.concat(waiting);
      await write(rest);
      if (file !== undefined) this.#add(key, file, bytes);
      file = undefined;
      yield rest;
    } finally {
      if (file !== undefined) await closeFile(file).catch(no);
    }
  }

  #add({ state, group }: ArchiveKey, file: number, bytes: number): void {
    this.#drop(state);
    const { maxBytes, maxFiles, maxFilesPerGroup } = this.#limits;
    const ofGroup = [...this.#cached].filter(([, cached]) => cached.group === group);
    if (ofGroup.length >= maxFilesPerGroup) this.#drop(ofGroup[0]?.[0] ?? "");
    this.#cached.set(state, { group, file, bytes, readers: 0, isDropped: false });
    let total = [...this.#cached.values()].reduce((sum, cached) => sum + cached.bytes, 0);
    for (const [oldest, cached] of this.#cached) {
      if (total <= maxBytes && this.#cached.size <= maxFiles) break;
      total -= cached.bytes;
      this.#drop(oldest);
    }
  }

  #drop(state: string): void {
    const cached = this.#cached.get(state);
    if (cached === undefined) return;
    this.#cached.delete(state);
    cached.isDropped = true;
    closeIfUnused(cached);
  }
}

/** Reads a cached archive. The file stays open for this when the archive is dropped. */
function readArchive(cached: CachedArchive): Readable {
  const { file: fd, bytes } = cached;
  cached.readers += 1;
  const range = { start: 0, end: bytes - 1 };
  // Others read the same descriptor.
  const fs = { open, read, close: (_fd: number, done: () => void) => done() };
  const stream = createReadStream("", { fd, fs, ...range, highWaterMark: READ_BYTES });
  return stream.once("close", () => {
    cached.readers -= 1;
    closeIfUnused(cached);
  });
}

function closeIfUnused({ file, readers, isDropped }: CachedArchive): void {
  if (isDropped && readers === 0) closeFile(file).catch(no);
}

/** A file that is deleted as soon as it is open. */
async function nameless(folder: string): Promise<number> {
  const path = join(folder, `feed-${randomUUID()}`);
  const file = await openFile(path, "wx+", 0o600);
  unlinkSync(path);
  return file;
}

const yes = () => true;
const no = () => false;
