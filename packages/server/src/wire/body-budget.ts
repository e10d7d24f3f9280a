/** Bounds the memory that request bodies take, over all requests. */
import { WharfError } from "../lib/errors.ts";
import { HttpFault } from "./http.ts";

/** Bodies up to this size are always read: the bound on connections bounds them. */
export const SMALL_BODY_BYTES = 64 * 1024;

/** One client network can hold this part of the budget, so that no tenant takes all of it. */
const NETWORK_SHARE = 1 / 4;

/** Seconds after which rejected clients may try again: most requests take far less. */
const RETRY_AFTER = "1";

/** The bytes of large bodies from their arrival until their request was answered. */
export class BodyBudget {
  readonly #maxBytes: number;
  readonly #networks = new Map<string, number>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes that are held now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Counts bytes that have arrived; throws UNAVAILABLE, and counts nothing, beyond the budget. */
  hold(network: string, bytes: number): void {
    const held = (this.#networks.get(network) ?? 0) + bytes;
    if (this.#bytes + bytes > this.#maxBytes || held > this.#maxBytes * NETWORK_SHARE) {
      const error = new WharfError("UNAVAILABLE", "too many large requests at once: try again");
      throw new HttpFault(error, 503, { "retry-after": RETRY_AFTER, connection: "close" });
    }
    this.#bytes += bytes;
    this.#networks.set(network, held);
  }

  release(network: string, bytes: number): void {
    this.#bytes -= bytes;
    const held = (this.#networks.get(network) ?? 0) - bytes;
    if (held > 0) this.#networks.set(network, held);
    else this.#networks.delete(network);
  }
}
