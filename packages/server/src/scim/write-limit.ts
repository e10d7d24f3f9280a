import { tooMany } from "../lib/errors.ts";
import { clientNetwork } from "../lib/net/client-network.ts";
import { RateLimiter, type RateLimitPeers } from "../lib/scheduling/rate-limiter.ts";

/** Several identity providers may share a proxy. */
const NETWORK_FACTOR = 4;

/**
 * Limits writes per identity provider and per client network, with bursts of up to one minute's
 * quota.
 */
export class WriteLimiter {
  readonly #providers: RateLimiter;
  readonly #networks: RateLimiter;

  constructor(perMinute: number, peers?: RateLimitPeers) {
    const limiter = (uses: number, name: string) =>
      new RateLimiter(
        { capacity: uses, refill: 1, intervalMs: 60_000 / uses },
        `scim ${name}`,
        peers,
      );
    this.#providers = limiter(perMinute, "providers");
    this.#networks = limiter(perMinute * NETWORK_FACTOR, "networks");
  }

  /** Counts one write; throws 429 if the provider or the network exceeded its rate. */
  take(provider: string, address: string, now: number): void {
    const network = clientNetwork(address);
    const wait = this.#providers.waitMs(provider, now) || this.#networks.waitMs(network, now);
    if (wait > 0) {
      throw tooMany("too many writes: wait, then continue", Math.ceil(wait / 1000));
    }
    this.#providers.take(provider, now);
    this.#networks.take(network, now);
  }
}
