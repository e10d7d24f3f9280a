import { tooMany } from "../lib/errors.ts";
import { clientNetwork } from "../lib/net/client-network.ts";
import type { RateLimit } from "../lib/scheduling/rate-limiter.ts";
import type { RateLimits } from "../lib/scheduling/rate-limits.ts";

const ATTEMPTS_PER_MINUTE: RateLimit = { capacity: 100, refill: 100, intervalMs: 60_000 };

/**
 * Limits how often one client network can try codes or passwords. That slows guessing down; the
 * length of codes and passwords makes it infeasible.
 */
export class AttemptLimiter {
  readonly #limits: RateLimits;

  constructor(limits: RateLimits) {
    this.#limits = limits;
  }

  /** Counts an attempt; throws RESOURCE_EXHAUSTED if there were too many. */
  async count(what: string, address: string): Promise<void> {
    const key = `${what} ${clientNetwork(address)}`;
    const use = { limiter: "attempts", limit: ATTEMPTS_PER_MINUTE, key };
    const wait = await this.#limits.take([use]);
    const text = "too many attempts: wait a minute, then try again";
    if (wait > 0) throw tooMany(text, Math.ceil(wait / 1000));
  }
}
