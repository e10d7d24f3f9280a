import { write, writeSync } from "node:fs";

/** Lines are written in chunks: one system call for some hundred requests. */
const CHUNK_BYTES = 64 * 1024;

/** The longest time that a line stays in the buffer while its reader reads. */
const FLUSH_MS = 200;

/** The interval of attempts while the reader does not read. */
const FULL_PIPE_MS = 50;

/** The interval of attempts after an error, such as a full disk, or a reader that is gone. */
const ERROR_MS = 1_000;

/** Buffered bytes: some seconds of a busy server. Lines beyond it are dropped. */
const MAX_BUFFERED_BYTES = 8 * 1024 * 1024;

/** Maximum wait of the process for the reader at its exit. */
const EXIT_MS = 1_000;

const NEWLINE = 0x0a;

export interface LineWriterOptions {
  /** The line that stands for dropped ones. */
  droppedLine(lines: number): string;
  /** Called with the number of lines that were dropped. */
  onDropped(lines: number): void;
  readonly maxBufferedBytes?: number;
}

/**
 * Writes lines to a file descriptor in the background. The log must not stop the server: while nobody reads it,
 * lines are buffered up to a limit, then dropped and counted. If the reader is gone, all are dropped.
 *
 * Lines are encoded into a byte buffer immediately: collecting strings and joining them later, as logging libraries
 * do, costs several times as much.
 */
export class LineWriter {
  readonly #fd: number;
  readonly #options: LineWriterOptions;
  readonly #maxBytes: number;
  /** Chunks to be written, oldest first. The first may be the rest of a partial write. */
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  #used = 0;
  /** While lines are being written, and between attempts. */
  #state: "idle" | "writing" | "paused" = "idle";
  /** Dropped lines that the log does not mention yet. None is accepted meanwhile: their order stays. */
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(fd: number, options: LineWriterOptions) {
    this.#fd = fd;
    this.#options = options;
    this.#maxBytes = options.maxBufferedBytes ?? MAX_BUFFERED_BYTES;
    process.on("exit", () => this.flushSync());
  }

  write(line: string): void {
    // A UTF-16 code unit takes at most three bytes in UTF-8.
    const maxBytes = line.length * 3;
    const fits = maxBytes <= CHUNK_BYTES - this.#used;
    if (this.#dropped > 0 || (!fits && this.#waitingBytes + maxBytes > this.#maxBytes)) {
      this.#drop(1);
      return;
    }
    if (!fits) this.#finishChunk(maxBytes);
    this.#used += this.#chunk.write(line, this.#used);
    if (this.#used > CHUNK_BYTES / 2) this.#flush();
    else this.#schedule();
  }

  /** Writes the buffer synchronously, at exit. Gives up if nobody reads. */
  flushSync(): void {
    // The chunk that is being written is left to its thread.
    const chunks = this.#waiting.splice(this.#state === "writing" ? 1 : 0);
    chunks.push(this.#chunk.subarray(0, this.#used));
    this.#used = 0;
    const deadline = performance.now() + EXIT_MS;
    for (const chunk of chunks) if (!writeUntil(this.#fd, chunk, deadline)) return;
  }

  #finishChunk(nextBytes = 0): void {
    if (this.#used > 0) {
      this.#waiting.push(this.#chunk.subarray(0, this.#used));
      this.#waitingBytes += this.#used;
      this.#used = 0;
    }
    this.#chunk = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, nextBytes));
  }

  #drop(lines: number): void {
    this.#dropped += lines;
    this.#options.onDropped(lines);
    this.#schedule();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#flush();
    }, FLUSH_MS).unref();
  }

  #flush(): void {
    if (this.#state !== "idle") return;
    if (this.#waiting.length === 0 && this.#used > 0) this.#finishChunk();
    if (this.#waiting.length > 0) this.#writeChunk(this.#waiting[0] as Buffer);
    else if (this.#dropped > 0) this.#writeDropped(this.#dropped);
  }

  #writeChunk(chunk: Buffer): void {
    this.#start(chunk, (error, bytes) => {
      if (error?.code === "EAGAIN") return;
      this.#waitingBytes -= error ? chunk.length : bytes;
      if (bytes < chunk.length && !error) this.#waiting[0] = chunk.subarray(bytes);
      else this.#waiting.shift();
      if (error) this.#drop(linesIn(chunk));
    });
  }

  #writeDropped(lines: number): void {
    const line = Buffer.from(this.#options.droppedLine(lines));
    this.#start(line, (error, bytes) => {
      if (error) return;
      this.#dropped -= lines;
      if (bytes === line.length) return;
      this.#waiting.unshift(line.subarray(bytes));
      this.#waitingBytes += line.length - bytes;
    });
  }

  /** Writes some bytes, then continues: at once, or later if that failed. */
  #start(
    bytes: Buffer,
    done: (error: NodeJS.ErrnoException | null, written: number) => void,
  ): void {
    this.#state = "writing";
    write(this.#fd, bytes, 0, bytes.length, null, (error, written) => {
      this.#state = error ? "paused" : "idle";
      done(error, written);
      const ms = error?.code === "EAGAIN" ? FULL_PIPE_MS : ERROR_MS;
      if (error) setTimeout(() => this.#resume(), ms).unref();
      else if (this.#waiting.length > 0 || this.#dropped > 0) this.#flush();
      else if (this.#used > 0) this.#schedule();
    });
  }

  #resume(): void {
    this.#state = "idle";
    this.#flush();
  }
}

function linesIn(chunk: Buffer): number {
  return chunk.reduce((lines, byte) => (byte === NEWLINE ? lines + 1 : lines), 0);
}

/** Returns false if the bytes could not be written before the deadline. */
function writeUntil(fd: number, bytes: Uint8Array, deadline: number): boolean {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return false;
      if (performance.now() > deadline) return false;
      Atomics.wait(SLEEPER, 0, 0, SLEEP_MS);
    }
  }
  return true;
}

const SLEEP_MS = 5;

/** Never notified: waiting for it is a synchronous sleep. */
const SLEEPER = new Int32Array(new SharedArrayBuffer(4));
