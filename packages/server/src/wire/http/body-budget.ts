/** Bounds the memory of all request bodies together. */
import { WharfError } from "../../lib/errors.ts";
import { HttpFault } from "./http.ts";

/** Bodies up to this size have a part of the budget for themselves: large ones must not crowd them out. */
export const SMALL_BODY_BYTES = 64 * 1024;

/** The part of the budget for small bodies. */
const SMALL_PART = 1 / 8;

/**
 * Share of one client network, as a fraction of the free budget. Alone, it gets a quarter of all, and each
 * other one a quarter of the rest, so that a few networks cannot shut out the others.
 */
const SHARE_OF_FREE = 1 / 3;

/** Most requests take far less. */
const RETRY = { retryAfterSeconds: 1 };

export class BodyBudget {
  readonly small: BytePool;
  readonly large: BytePool;

  constructor(maxBytes: number) {
    this.small = new BytePool(maxBytes * SMALL_PART);
    this.large = new BytePool(maxBytes * (1 - SMALL_PART));
  }

  /** Starts to count the body of one request. */
  open(network: string): BodyCharge {
    return new BodyCharge(this, network);
  }
}

/** The bytes that one request has charged, until it is answered. */
export class BodyCharge {
  readonly #budget: BodyBudget;
  readonly #network: string;
  /** Bytes received so far, and those that the pool has counted. */
  #received = 0;
  #charged = 0;
  #pool: BytePool;

  constructor(budget: BodyBudget, network: string) {
    this.#budget = budget;
    this.#network = network;
    this.#pool = budget.small;
  }

  /** Charges bytes that are announced but not read yet. Small bodies are charged as they arrive. */
  reserve(bytes: number): void {
    if (bytes > SMALL_BODY_BYTES) this.#cover(bytes);
  }

  /** Charges bytes that have arrived. Throws UNAVAILABLE if they exceed the budget. */
  receive(bytes: number): void {
    this.#received += bytes;
    this.#cover(this.#received);
  }

  /** Returns what is charged beyond these bytes. */
  retain(bytes: number): void {
    this.#received = bytes;
    if (bytes >= this.#charged) return;
    this.#pool.release(this.#network, this.#charged - bytes);
    this.#charged = bytes;
  }

  release(): void {
    this.retain(0);
  }

  #cover(bytes: number): void {
    if (bytes <= this.#charged) return;
    if (bytes > SMALL_BODY_BYTES && this.#pool === this.#budget.small) {
      this.#budget.large.hold(this.#network, bytes);
      this.#pool.release(this.#network, this.#charged);
      this.#pool = this.#budget.large;
    } else this.#pool.hold(this.#network, bytes - this.#charged);
    this.#charged = bytes;
  }
}

/** Bytes that client networks share. */
export class BytePool {
  readonly #maxBytes: number;
  readonly #networks = new Map<string, number>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes in use. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Charges bytes to a network. Throws UNAVAILABLE, and charges nothing, if they exceed its share. */
  hold(network: string, bytes: number): void {
    const used = (this.#networks.get(network) ?? 0) + bytes;
    const free = this.#maxBytes - this.#bytes - bytes;
    if (used > free * SHARE_OF_FREE) {
      const text = "too many large requests at once: try again";
      const error = new WharfError("UNAVAILABLE", text, RETRY);
      throw new HttpFault(error, 503, { connection: "close" });
    }
    this.#bytes += bytes;
    this.#networks.set(network, used);
  }

  release(network: string, bytes: number): void {
    if (bytes === 0) return;
    this.#bytes -= bytes;
    const used = (this.#networks.get(network) ?? 0) - bytes;
    if (used > 0) this.#networks.set(network, used);
    else this.#networks.delete(network);
  }
}
