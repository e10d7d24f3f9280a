import { randomUUID } from "node:crypto";
import { type FileHandle, open, rename, rm, stat, statfs, utimes } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Readable } from "node:stream";
import { createDirectory } from "../../store/db/sqlite/directory.ts";
import type { Part } from "../../store/tables/registry/uploads.ts";
import type {
  ByteRange,
  ContentRows,
  ContentStorage,
  Examined,
  Garbage,
  Share,
  StoredBlob,
} from "./content-storage.ts";
import { removeDiskBlobs, removeDiskGarbage } from "./disk-garbage.ts";
import { DiskThreads } from "./disk-threads.ts";
import { readFolderId } from "./folder-id.ts";
import { PartWriter } from "./part-writer.ts";

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
  /** Cache of existing folders. */
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

  async read({ digest, size }: StoredBlob, range?: ByteRange): Promise<Readable | undefined> {
    let file: FileHandle | undefined;
    try {
      file = await open(this.#blobAt(digest), "r");
      if ((await file.stat()).size === size) {
        const stream = file.createReadStream({ ...range, highWaterMark: READ_BYTES });
        stream.once("close", () => this.#transferred("out", stream.bytesRead));
        return stream;
      }
      await file.close();
      return undefined;
    } catch (error) {
      await file?.close();
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async examine(
    { digest, size }: StoredBlob,
    pace: (bytes: number) => Promise<void>,
  ): Promise<Examined> {
    const version = await this.versionOf(digest);
    const found = await this.sizeOf(digest);
    if (found === undefined) return { version, problem: "its file is missing" };
    if (found !== size)
      return { version, problem: `its file has ${found} bytes instead of ${size}` };
    try {
      const hex = await this.#hash(digest, pace);
      const isGood = digest.endsWith(`:${hex}`);
      return { version, problem: isGood ? undefined : "its file has another digest" };
    } catch (error) {
      // The disk has lost it. Other errors are those of the machine, such as a lack of file descriptors.
      if ((error as NodeJS.ErrnoException).code !== "EIO") throw error;
      return { version, problem: "its file cannot be read (EIO)" };
    }
  }

  async versionOf(digest: string): Promise<string> {
    try {
      const { ino, size, mtimeNs } = await stat(this.#blobAt(digest), { bigint: true });
      return `${ino} ${size} ${mtimeNs}`;
    } catch (error) {
      if (isMissing(error)) return "";
      throw error;
    }
  }

  folderId(): string | undefined {
    return readFolderId(this.#folder);
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

  removeGarbage(before: number, rows: ContentRows, share?: Share): Promise<Garbage> {
    return removeDiskGarbage(this.#folder, before, rows, share);
  }

  removeBlobs(digests: readonly string[], before: number, rows: ContentRows): Promise<void> {
    return removeDiskBlobs(this.#folder, digests, before, rows);
  }

  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#folder);
    return bavail * bsize;
  }

  close(): Promise<void> {
    return this.#threads.close();
  }

  async #hash(digest: string, pace: (bytes: number) => Promise<void>): Promise<string> {
    const thread = this.#threads.take();
    const id = thread.newId();
    const [algorithm = ""] = digest.split(":");
    await thread.ask(id, { kind: "read", path: this.#blobAt(digest), algorithm });
    try {
      for (;;) {
        const { bytes = 0 } = await thread.ask(id, { kind: "hash", length: READ_BYTES });
        if (bytes === 0) break;
        await pace(bytes);
      }
    } catch (error) {
      await thread.ask(id, { kind: "close" }).catch(() => {});
      throw error;
    }
    return (await thread.ask(id, { kind: "close" })).hex ?? "";
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
