import { WharfError } from "../../lib/errors.ts";

/** Answers below this are not counted: there would have to be too many of them. */
const LONG_BYTES = 1024 * 1024;

/** Where an answer goes. */
interface Target {
  on(event: "close", listener: () => void): unknown;
}

/**
 * Long answers that wait in memory until their clients have read them. A gRPC message goes out as a
 * whole, so clients that do not read could fill the memory with them.
 */
export class Unread {
  readonly #most: number;
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Refuses an answer that is one too many; clients try again. */
  mustHaveRoom(bytes: number): void {
    if (bytes < LONG_BYTES || this.#bytes + bytes <= this.#most) return;
    throw new WharfError("RESOURCE_EXHAUSTED", "too many long answers at once");
  }

  /** Counts an answer until it has gone, or its client has. */
  hold(bytes: number, target: Target): void {
    if (bytes < LONG_BYTES) return;
    this.#bytes += bytes;
    target.on("close", () => {
      this.#bytes -= bytes;
    });
  }
}
