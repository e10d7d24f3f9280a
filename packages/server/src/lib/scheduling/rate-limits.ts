import { type RateLimit, RateLimiter } from "./rate-limiter.ts";

/** A use that is limited: equal keys count together under the name of a limiter, which always has the same limit. */
export interface LimitedUse {
  readonly limiter: string;
  readonly limit: RateLimit;
  readonly key: string;
}

/** Counts limited uses, in one place for all processes of a server. Each replica of a server grants the limit. */
export interface RateLimits {
  /** Takes all uses and returns 0; otherwise takes none and returns the milliseconds to wait. */
  take(uses: readonly LimitedUse[]): Promise<number>;
}

/** Rate limits that are counted in this process. */
export class LocalRateLimits implements RateLimits {
  readonly #limiters = new Map<string, RateLimiter>();
  /** Monotonic. */
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  async take(uses: readonly LimitedUse[]): Promise<number> {
    return this.takeNow(uses);
  }

  takeNow(uses: readonly LimitedUse[]): number {
    const now = this.#now();
    const wait = Math.max(...uses.map((use) => this.#limiter(use).waitMs(use.key, now)));
    if (wait === 0) for (const use of uses) this.#limiter(use).take(use.key, now);
    return wait;
  }

  #limiter({ limiter, limit }: LimitedUse): RateLimiter {
    const found = this.#limiters.get(limiter) ?? new RateLimiter(limit);
    this.#limiters.set(limiter, found);
    return found;
  }
}
