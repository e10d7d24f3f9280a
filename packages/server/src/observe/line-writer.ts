import { write, writeSync } from "node:fs";

/** Lines are written in batches: one system call for some hundred requests. */
const BUFFER_BYTES = 64 * 1024;

/** The longest time that a line stays in the buffer. */
const FLUSH_MS = 200;

/**
 * Writes lines to a file descriptor in the background. Lines are encoded into a byte buffer immediately:
 * collecting strings and joining them later, as logging libraries do, costs several times as much.
 */
export class LineWriter {
  readonly #fd: number;
  #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #spare = Buffer.allocUnsafe(BUFFER_BYTES);
  #used = 0;
  #writing = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(fd: number) {
    this.#fd = fd;
    process.on("exit", () => this.flushSync());
  }

  write(line: string): void {
    // A UTF-16 code unit takes at most three bytes in UTF-8.
    if (line.length * 3 > BUFFER_BYTES - this.#used) {
      this.flushSync();
      if (line.length * 3 > BUFFER_BYTES) {
        writeAll(this.#fd, Buffer.from(line));
        return;
      }
    }
    this.#used += this.#buffer.write(line, this.#used);
    if (this.#used > BUFFER_BYTES / 2) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS).unref();
  }

  /** Writes the buffer synchronously: when it is full, and at exit. */
  flushSync(): void {
    writeAll(this.#fd, this.#buffer.subarray(0, this.#used));
    this.#used = 0;
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#writing || this.#used === 0) return;
    const [full, length] = [this.#buffer, this.#used];
    this.#buffer = this.#spare;
    this.#used = 0;
    this.#writing = true;
    write(this.#fd, full, 0, length, (error, written) => {
      // The rest of a partial write precedes all later lines.
      if (error?.code !== "EPIPE" && (written ?? 0) < length)
        writeAll(this.#fd, full.subarray(written ?? 0, length));
      this.#spare = full;
      this.#writing = false;
      if (this.#used > 0) this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS).unref();
    });
  }
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      // EAGAIN is a full pipe; after any other error, nobody reads the log.
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return;
    }
  }
}
