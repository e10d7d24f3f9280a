import { createHash, randomUUID } from "node:crypto";
import { createReadStream, unlinkSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import type { RandomAccess } from "@wharf/advisories/archives";
import { SourceError } from "./errors.ts";

/**
 * A downloaded file, which is deleted as soon as it is open: a process that is killed leaves none behind. It must be
 * closed.
 */
export class TemporaryFile implements RandomAccess {
  readonly size: number;
  /** The SHA-256 of its content, in hexadecimal digits. */
  readonly sha256: string;
  readonly #handle: FileHandle;

  private constructor(handle: FileHandle, size: number, sha256: string) {
    this.#handle = handle;
    this.size = size;
    this.sha256 = sha256;
  }

  /** Writes chunks to a new file. */
  static async write(folder: string, chunks: AsyncIterable<Uint8Array>): Promise<TemporaryFile> {
    const path = join(folder, `source-${randomUUID()}`);
    const handle = await open(path, "wx+", 0o600);
    try {
      unlinkSync(path);
      const hash = createHash("sha256");
      let size = 0;
      for await (const chunk of chunks) {
        hash.update(chunk);
        await handle.appendFile(chunk);
        size += chunk.length;
      }
      return new TemporaryFile(handle, size, hash.digest("hex"));
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async read(position: number, length: number): Promise<Uint8Array> {
    const buffer = new Uint8Array(Math.max(0, Math.min(length, this.size - position)));
    const { bytesRead } = await this.#handle.read(buffer, 0, buffer.length, position);
    return buffer.subarray(0, bytesRead);
  }

  /** Its content, which is JSON. */
  async json(): Promise<unknown> {
    const bytes = await this.read(0, this.size);
    try {
      return JSON.parse(Buffer.from(bytes).toString("utf8"));
    } catch {
      throw new SourceError("INVALID_DATA", "it is not JSON, or not complete");
    }
  }

  stream(): AsyncIterable<Uint8Array> {
    return createReadStream("", { fd: this.#handle.fd, autoClose: false, start: 0 });
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
