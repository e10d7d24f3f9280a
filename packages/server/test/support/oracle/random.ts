/** Randomness that is the same for the same seed. */

/**
 * The seed of everything random in the tests: fixed, so that what fails once fails again. Another
 * can be tried with WHARF_TEST_SEED; fast-check names the one in use when a property does not hold.
 */
export const SEED = Number(process.env.WHARF_TEST_SEED ?? 20_261);

/** Real servers make shrinking slow and rarely smaller, so the first failure is reported. */
export const FIXED = { seed: SEED, endOnFailure: true } as const;

/** Random choices that are the same for the same seed. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 to below a bound (mulberry32). */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % end;
  }

  /** One of them. */
  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  /** So many of them at most, none twice. */
  some<T>(items: readonly T[], count: number): T[] {
    return [...new Set(Array.from({ length: count }, () => this.pick(items)))];
  }
}
