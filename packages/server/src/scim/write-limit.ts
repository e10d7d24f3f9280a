import { ScimError } from "./errors.ts";

/** What may be written at once, and how fast that comes back. */
interface Bucket {
  left: number;
  filled: number;
}

const MINUTE_MS = 60_000;

/** Several identity providers may come through one proxy. */
const SHARE_OF_ADDRESS = 4;

/** Beyond so many, those that are full again are let go. */
const REMEMBERED = 10_000;

/**
 * Keeps one identity provider, or one machine, from taking all writes: each has a minute's worth that
 * it may use up at once, and gets it back evenly. Counted in this process alone.
 */
export class WriteLimit {
  readonly #perMinute: number;
  /** Those that were not used for longest come first. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /**
   * Takes one write of a provider from an address; refuses when there is none left.
   *
   * @example limit.take(provider, request.remoteAddress, Date.now());
   */
  take(provider: string, address: string, now: number): void {
    const wanted = [
      [this.#bucket(provider, this.#perMinute, now), this.#perMinute],
      [
        this.#bucket(address, this.#perMinute * SHARE_OF_ADDRESS, now),
        this.#perMinute * SHARE_OF_ADDRESS,
      ],
    ] as const;
    for (const [bucket, perMinute] of wanted) {
      if (bucket.left >= 1) continue;
      const seconds = Math.ceil(((1 - bucket.left) / perMinute) * (MINUTE_MS / 1000));
      throw new ScimError(429, "too many writes: wait, then go on", {
        "retry-after": String(seconds),
      });
    }
    for (const [bucket] of wanted) bucket.left -= 1;
  }

  #bucket(key: string, most: number, now: number): Bucket {
    if (this.#buckets.size >= REMEMBERED) this.#forgetFull(now);
    const bucket = this.#buckets.get(key) ?? { left: most, filled: now };
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    const back = ((now - bucket.filled) / MINUTE_MS) * most;
    bucket.left = Math.min(most, bucket.left + Math.max(0, back));
    bucket.filled = now;
    return bucket;
  }

  /** A bucket that nobody took from for a minute is full. */
  #forgetFull(now: number): void {
    for (const [key, { filled }] of this.#buckets) {
      if (now - filled < MINUTE_MS) return;
      this.#buckets.delete(key);
    }
  }
}
