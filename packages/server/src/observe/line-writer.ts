import { write, writeSync } from "node:fs";

/** Lines are handed to the system together: one call for some hundred requests. */
const BUFFER_BYTES = 64 * 1024;

/** And at the latest after this long, so that whoever watches the log does not wait. */
const FLUSH_MS = 200;

/**
 * Writes lines to a file descriptor in the background. A line is put into a buffer as bytes at
 * once: keeping texts to join them later, as logging libraries do, costs several times as much
 * when there is one for every request.
 *
 * @example const lines = new LineWriter(2); lines.write("ready\n");
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
    // Three bytes are the most that a UTF-16 unit can become.
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

  /** Waits until everything is out: when the buffer is full, and at the end. */
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
      // What the system did not take at once goes out before anything else does.
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
      // A pipe that is full for the moment; anything else means that nobody reads.
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return;
    }
  }
}
