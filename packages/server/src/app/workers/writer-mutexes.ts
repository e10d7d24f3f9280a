import type { Duplex } from "node:stream";
import type { WriterMutex } from "../../store/db/sqlite/writer-mutex.ts";

/*
 * Protocol of the mutex, one byte per message: a worker acquires and releases it; the supervisor grants it.
 */
const ACQUIRE = 0x61;
const RELEASE = 0x72;
const GRANT = 0x67;

/** The supervisor's end of the mutex: one worker at a time may write, in the order of the requests. */
export class WriterMutexes {
  #holder: Duplex | undefined;
  readonly #waiting: Duplex[] = [];

  /** Serves a worker until its pipe closes: what it holds is then free. */
  serve(pipe: Duplex): void {
    pipe.on("data", (bytes: Buffer) => {
      for (const byte of bytes) {
        if (byte === ACQUIRE) this.#enqueue(pipe);
        else if (byte === RELEASE) this.#release(pipe);
      }
    });
    // A worker that has ended.
    pipe.on("error", () => {});
    pipe.on("close", () => {
      const at = this.#waiting.indexOf(pipe);
      if (at >= 0) this.#waiting.splice(at, 1);
      this.#release(pipe);
    });
  }

  /**
   * Passes the mutex of a worker that hangs to the next one, and lets the worker write without it once it goes on:
   * SQLite's lock decides who writes.
   */
  passOn(pipe: Duplex): void {
    const at = this.#waiting.indexOf(pipe);
    if (at >= 0) {
      this.#waiting.splice(at, 1);
      pipe.write(Buffer.of(GRANT));
    }
    this.#release(pipe);
  }

  #enqueue(pipe: Duplex): void {
    this.#waiting.push(pipe);
    this.#grantNext();
  }

  #release(pipe: Duplex): void {
    if (this.#holder !== pipe) return;
    this.#holder = undefined;
    this.#grantNext();
  }

  #grantNext(): void {
    if (this.#holder !== undefined) return;
    this.#holder = this.#waiting.shift();
    this.#holder?.write(Buffer.of(GRANT));
  }
}

/** A worker's end of the mutex. Without a supervisor there are no other writers: SQLite's lock is enough. */
export class PipeMutex implements WriterMutex {
  readonly #pipe: Duplex;
  #granted: (() => void) | undefined;
  #isHeld = false;

  constructor(pipe: Duplex) {
    this.#pipe = pipe;
    const granted = () => {
      this.#isHeld = true;
      this.#granted?.();
      this.#granted = undefined;
    };
    pipe.on("data", (bytes: Buffer) => {
      if (bytes.includes(GRANT)) granted();
    });
    pipe.on("error", () => {});
    pipe.on("close", granted);
  }

  /** Called by the group commit, which has one transaction at a time. */
  acquire(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#pipe.destroyed) {
        resolve();
        return;
      }
      this.#granted = resolve;
      this.#pipe.write(Buffer.of(ACQUIRE));
    });
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    if (!this.#pipe.destroyed) this.#pipe.write(Buffer.of(RELEASE));
  }
}
