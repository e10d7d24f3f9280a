import { tooMany } from "../lib/errors.ts";
import { clientNetwork } from "../lib/net/client-network.ts";
import { RateLimiter, type RateLimitPeers } from "../lib/scheduling/rate-limiter.ts";

const ATTEMPTS_PER_MINUTE = 100;

/**
 * Limits how often one client network can try codes or passwords. That slows guessing down; the
 * length of codes and passwords makes it infeasible.
 */
export class AttemptLimiter {
  readonly #limiter: RateLimiter;

  constructor(peers?: RateLimitPeers) {
    const perMinute = {
      capacity: ATTEMPTS_PER_MINUTE,
      refill: ATTEMPTS_PER_MINUTE,
      intervalMs: 60_000,
    };
    this.#limiter = new RateLimiter(perMinute, "attempts", peers);
  }

  /** Counts an attempt; throws RESOURCE_EXHAUSTED if there were too many. */
  count(what: string, address: string, now = performance.now()): void {
    const wait = this.#limiter.take(`${what} ${clientNetwork(address)}`, now);
    const text = "too many attempts: wait a minute, then try again";
    if (wait > 0) throw tooMany(text, Math.ceil(wait / 1000));
  }
}
