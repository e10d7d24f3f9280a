import { BoundedCache } from "../bounded-cache.ts";

/** Token bucket of a key: its capacity and refill rate. */
export interface RateLimit {
  /** Uses in one burst. */
  readonly capacity: number;
  /** Uses that come back with each interval. */
  readonly refill: number;
  readonly intervalMs: number;
}

interface Bucket {
  tokens: number;
  /** When the last whole interval ended. */
  refilledAt: number;
}

/** Keys kept at most: more would be an attack on memory. The 10,000 most recently used ones stay. */
const MAX_KEYS = 20_000;

/** A token bucket for each key. */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #buckets = new BoundedCache<string, Bucket>({ maxEntries: MAX_KEYS });

  constructor(limit: RateLimit) {
    this.#limit = limit;
  }

  /** Takes one use and returns 0 (`now` is monotonic); otherwise takes nothing and returns the milliseconds to wait. */
  take(key: string, now: number): number {
    const bucket = this.#bucket(key, now);
    const wait = this.#waitMs(bucket, now);
    if (wait === 0) bucket.tokens -= 1;
    return wait;
  }

  /** Milliseconds until the key can be used again; 0 when it can be used now. */
  waitMs(key: string, now: number): number {
    return this.#waitMs(this.#bucket(key, now), now);
  }

  #waitMs(bucket: Bucket, now: number): number {
    if (bucket.tokens >= 1) return 0;
    const { refill, intervalMs } = this.#limit;
    const intervals = Math.ceil((1 - bucket.tokens) / refill);
    return Math.max(1, bucket.refilledAt + intervals * intervalMs - now);
  }

  #bucket(key: string, now: number): Bucket {
    const existing = this.#buckets.get(key);
    const bucket = existing ?? { tokens: this.#limit.capacity, refilledAt: now };
    if (existing === undefined) this.#buckets.set(key, bucket);
    this.#refill(bucket, now);
    return bucket;
  }

  #refill(bucket: Bucket, now: number): void {
    const { capacity, refill, intervalMs } = this.#limit;
    // A clock that was set back refills nothing.
    const intervals = Math.max(0, Math.floor((now - bucket.refilledAt) / intervalMs));
    bucket.tokens = Math.min(capacity, bucket.tokens + intervals * refill);
    bucket.refilledAt += intervals * intervalMs;
    // A full bucket has no interval under way: the next one begins with its next use.
    if (bucket.tokens === capacity) bucket.refilledAt = now;
  }
}
