import { tooMany } from "../lib/errors.ts";
import { clientNetwork } from "../lib/net/client-network.ts";
import type { LimitedUse, RateLimits } from "../lib/scheduling/rate-limits.ts";

/** Several identity providers may share a proxy. */
const NETWORK_FACTOR = 4;

/**
 * Limits writes per identity provider and per client network, with bursts of up to one minute's
 * quota.
 */
export class WriteLimiter {
  readonly #perMinute: number;
  readonly #limits: RateLimits;

  constructor(perMinute: number, limits: RateLimits) {
    this.#perMinute = perMinute;
    this.#limits = limits;
  }

  /** Counts one write; throws 429 if the provider or the network exceeded its rate. */
  async take(provider: string, address: string): Promise<void> {
    const wait = await this.#limits.take([
      this.#use("providers", this.#perMinute, provider),
      this.#use("networks", this.#perMinute * NETWORK_FACTOR, clientNetwork(address)),
    ]);
    if (wait > 0) throw tooMany("too many writes: wait, then continue", Math.ceil(wait / 1000));
  }

  #use(name: string, uses: number, key: string): LimitedUse {
    const limit = { capacity: uses, refill: 1, intervalMs: 60_000 / uses };
    return { limiter: `scim ${name}`, limit, key };
  }
}
