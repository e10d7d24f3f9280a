import { clientNetwork } from "../lib/client-network.ts";
import { RateLimiter } from "../lib/rate-limiter.ts";
import { ScimError } from "./protocol/errors.ts";

/** Several identity providers may come through one proxy. */
const NETWORK_SHARE = 4;

/**
 * Keeps one identity provider, or one client network, from taking all writes: each has a minute's
 * worth that it may use up at once, and gets it back evenly.
 */
export class WriteLimit {
  readonly #providers: RateLimiter;
  readonly #networks: RateLimiter;

  constructor(perMinute: number) {
    this.#providers = evenly(perMinute);
    this.#networks = evenly(perMinute * NETWORK_SHARE);
  }

  /** Takes one write of a provider from an address; rejects it when either has none left. */
  take(provider: string, address: string, now: number): void {
    const network = clientNetwork(address);
    const wait = this.#providers.waitMs(provider, now) || this.#networks.waitMs(network, now);
    if (wait > 0) {
      throw new ScimError(429, "too many writes: wait, then go on", {
        "retry-after": String(Math.ceil(wait / 1000)),
      });
    }
    this.#providers.take(provider, now);
    this.#networks.take(network, now);
  }
}

function evenly(perMinute: number): RateLimiter {
  return new RateLimiter({ capacity: perMinute, refill: 1, intervalMs: 60_000 / perMinute });
}
