import type { Duplex } from "node:stream";
import type { WriteTurn } from "../../store/db/sqlite/write-turn.ts";

/*
 * The protocol of turns, a byte each: a worker asks for its turn and releases it; the supervisor grants it.
 */
const ASK = 0x61;
const RELEASE = 0x72;
const GRANT = 0x67;

/** The supervisor's side: one worker at a time may write, in the order in which they ask. */
export class WriteTurns {
  #holder: Duplex | undefined;
  readonly #waiting: Duplex[] = [];

  /** Serves a worker until its pipe closes: what it holds is then free. */
  serve(pipe: Duplex): void {
    pipe.on("data", (bytes: Buffer) => {
      for (const byte of bytes) {
        if (byte === ASK) this.#ask(pipe);
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
   * Passes the turn of a worker that hangs to the next one, and lets the worker write without a turn once it goes on:
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

  #ask(pipe: Duplex): void {
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

/** A worker's side. Without a supervisor nobody else asks: SQLite's lock is enough. */
export class PipedTurn implements WriteTurn {
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
      this.#pipe.write(Buffer.of(ASK));
    });
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    if (!this.#pipe.destroyed) this.#pipe.write(Buffer.of(RELEASE));
  }
}
