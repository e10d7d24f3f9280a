import { tooMany } from "../../lib/errors.ts";

/** Shorter replies are not counted. */
const MIN_COUNTED_BYTES = 1024 * 1024;

/** The stream or response of a reply. */
interface Target {
  on(event: "close", listener: () => void): unknown;
}

/**
 * Bounds the memory of long replies that clients have not read yet. A gRPC message is sent as a whole, so clients that
 * do not read could exhaust the memory.
 */
export class UnreadReplies {
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Throws RESOURCE_EXHAUSTED if a reply exceeds the bound. */
  checkCapacity(bytes: number): void {
    if (bytes < MIN_COUNTED_BYTES || this.#bytes + bytes <= this.#maxBytes) return;
    throw tooMany("too many long responses in progress: try again");
  }

  /** Counts a reply until it was sent or its client disconnected. */
  hold(bytes: number, target: Target): void {
    if (bytes < MIN_COUNTED_BYTES) return;
    this.#bytes += bytes;
    target.on("close", () => {
      this.#bytes -= bytes;
    });
  }
}
