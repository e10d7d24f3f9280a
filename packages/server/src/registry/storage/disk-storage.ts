import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { open, rename, rm, stat, statfs, utimes } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Readable } from "node:stream";
import { createDirectory } from "../../store/db/sqlite/directory.ts";
import type { Part } from "../../store/tables/registry/uploads.ts";
import type { ByteRange, ContentRows, ContentStorage, Garbage } from "./content-storage.ts";
import { removeDiskGarbage } from "./disk-garbage.ts";
import { CHUNK_BYTES, type DiskThread, DiskThreads } from "./disk-threads.ts";

/** Buffers of one upload: one is filled while another is written. */
const BUFFERS = 2;

/** Bytes that are read at a time. */
const READ_BYTES = 512 * 1024;

/**
 * Content as files below a folder: `blobs/ALGORITHM/XX/DIGEST` and `uploads/PART`. A file is complete and flushed before it
 * gets its name, so that a crash leaves no blob with other content.
 */
export class DiskStorage implements ContentStorage {
  readonly #folder: string;
  readonly #threads = new DiskThreads();
  readonly #transferred: (direction: "in" | "out", bytes: number) => void;
  /** Folders that are known to exist. */
  readonly #made = new Set<string>();

  /** @param transferred Counts bytes of blobs that were received or sent. */
  constructor(
    folder: string,
    transferred: (direction: "in" | "out", bytes: number) => void = () => {},
  ) {
    this.#folder = resolve(folder);
    this.#transferred = transferred;
    createDirectory(join(folder, "uploads"));
  }

  async writePart(chunks: AsyncIterable<Buffer>): Promise<Part> {
    const name = randomUUID();
    const writer = new PartWriter(this.#threads.take(), this.#partAt(name));
    try {
      for await (const chunk of chunks) await writer.write(chunk);
      const { size, sha256 } = await writer.finish();
      this.#transferred("in", size);
      return { name, size, sha256 };
    } catch (error) {
      await writer.abort();
      throw error;
    }
  }

  async store(parts: readonly Part[], digest: string): Promise<boolean> {
    const [algorithm = "", hex = ""] = digest.split(":");
    const path = this.#blobAt(digest);
    const [first] = parts;
    // An empty blob has no parts.
    if (first === undefined) {
      const empty = await this.writePart(nothing());
      return this.store([empty], digest).finally(() => this.removeParts([empty]));
    }
    const isOne = parts.length === 1;
    let source = this.#partAt(first.name);
    if (!isOne || algorithm !== "sha256") {
      const thread = this.#threads.take();
      const to = this.#partAt(randomUUID());
      const paths = parts.map((part) => this.#partAt(part.name));
      const answer = await thread.ask(thread.newId(), { kind: "join", algorithm, paths, to });
      if (!isOne) source = to;
      if (answer.hex !== hex) {
        if (!isOne) await rm(to, { force: true });
        return false;
      }
    } else if (first.sha256 !== hex) return false;
    await this.#makeDurable(dirname(path));
    const now = new Date();
    try {
      // Old files without a row are garbage; parts of an upload that was resumed may be old.
      await utimes(source, now, now);
      // Replaces a file with the same content: one that was damaged is repaired by the next push.
      await rename(source, path);
    } catch (error) {
      // An earlier attempt has renamed it, but was not recorded.
      const isStored = isMissing(error) && (await this.sizeOf(digest)) === first.size;
      if (!isStored) throw error;
      await utimes(path, now, now);
    }
    await syncFolder(dirname(path));
    return true;
  }

  async read(digest: string, range?: ByteRange): Promise<Readable | undefined> {
    try {
      const stream = createReadStream(this.#blobAt(digest), {
        ...range,
        highWaterMark: READ_BYTES,
      });
      await once(stream, "open");
      stream.once("close", () => this.#transferred("out", stream.bytesRead));
      return stream;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async sizeOf(digest: string): Promise<number | undefined> {
    try {
      return (await stat(this.#blobAt(digest))).size;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async removeParts(parts: readonly Pick<Part, "name">[]): Promise<void> {
    for (const { name } of parts) await rm(this.#partAt(name), { force: true });
  }

  removeGarbage(before: number, rows: ContentRows): Promise<Garbage> {
    return removeDiskGarbage(this.#folder, before, rows);
  }

  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#folder);
    return bavail * bsize;
  }

  close(): Promise<void> {
    return this.#threads.close();
  }

  #partAt(name: string): string {
    return join(this.#folder, "uploads", name);
  }

  #blobAt(digest: string): string {
    const [algorithm = "", hex = ""] = digest.split(":");
    return join(this.#folder, "blobs", algorithm, hex.slice(0, 2), hex);
  }

  /** Creates a folder, and flushes its name: a crash would lose it with all that is in it. */
  async #makeDurable(folder: string): Promise<void> {
    if (this.#made.has(folder)) return;
    createDirectory(folder);
    for (let path = folder; path !== this.#folder; ) {
      path = dirname(path);
      await syncFolder(path);
    }
    this.#made.add(folder);
  }
}

/** Gathers the chunks of a part and sends them to a thread, which hashes and writes them. */
class PartWriter {
  readonly #thread: DiskThread;
  readonly #id: number;
  readonly #opened: Promise<unknown>;
  readonly #free: ArrayBuffer[] = [];
  #buffers = 0;
  /** Writes that are not answered, oldest first. */
  readonly #writing: Promise<void>[] = [];
  #current: ArrayBuffer | undefined;
  #used = 0;
  #size = 0;

  constructor(thread: DiskThread, path: string) {
    this.#thread = thread;
    this.#id = thread.newId();
    this.#opened = thread.ask(this.#id, { kind: "open", path });
    // Reported by what is awaited first.
    this.#opened.catch(() => {});
  }

  async write(chunk: Buffer): Promise<void> {
    this.#size += chunk.length;
    for (let at = 0; at < chunk.length; ) {
      this.#current ??= await this.#buffer();
      const target = new Uint8Array(this.#current, this.#used);
      const piece = chunk.subarray(at, at + target.length);
      target.set(piece);
      at += piece.length;
      this.#used += piece.length;
      if (this.#used === CHUNK_BYTES) this.#send();
    }
  }

  async finish(): Promise<{ readonly size: number; readonly sha256: string }> {
    if (this.#used > 0) this.#send();
    await this.#opened;
    await Promise.all(this.#writing);
    const { hex = "" } = await this.#thread.ask(this.#id, { kind: "finish" });
    return { size: this.#size, sha256: hex };
  }

  async abort(): Promise<void> {
    await this.#thread.ask(this.#id, { kind: "abort" }).catch(() => {});
  }

  async #buffer(): Promise<ArrayBuffer> {
    await this.#opened;
    if (this.#free.length === 0 && this.#buffers < BUFFERS) {
      this.#buffers++;
      return new ArrayBuffer(CHUNK_BYTES);
    }
    if (this.#free.length === 0) await this.#writing[0];
    return this.#free.pop() as ArrayBuffer;
  }

  #send(): void {
    const buffer = this.#current as ArrayBuffer;
    const length = this.#used;
    this.#current = undefined;
    this.#used = 0;
    const written = this.#thread.ask(this.#id, { kind: "write", buffer, length }).then((answer) => {
      this.#writing.shift();
      this.#free.push(answer.buffer as ArrayBuffer);
    });
    written.catch(() => {});
    this.#writing.push(written);
  }
}

async function* nothing(): AsyncGenerator<Buffer> {}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}
