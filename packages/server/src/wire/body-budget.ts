/** Bounds the memory of all request bodies together. */
import { WharfError } from "../lib/errors.ts";
import { HttpFault } from "./http.ts";

/** Bodies up to this size are not counted: the connection limit bounds them. */
export const SMALL_BODY_BYTES = 64 * 1024;

/** The share of the budget for one client network, so that none can exhaust it. */
const NETWORK_SHARE = 1 / 4;

/** Most requests take far less. */
const RETRY_AFTER_SECONDS = "1";

/** Counts the bytes of large bodies until their requests are answered. */
export class BodyBudget {
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

  /** Charges bytes to a network. Throws UNAVAILABLE, and charges nothing, if they exceed the budget. */
  hold(network: string, bytes: number): void {
    const held = (this.#networks.get(network) ?? 0) + bytes;
    if (this.#bytes + bytes > this.#maxBytes || held > this.#maxBytes * NETWORK_SHARE) {
      const error = new WharfError("UNAVAILABLE", "too many large requests at once: try again");
      throw new HttpFault(error, 503, { "retry-after": RETRY_AFTER_SECONDS, connection: "close" });
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
