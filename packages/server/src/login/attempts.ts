import { WharfError } from "../errors.ts";

/** How many tries one address has, and how long until they are forgotten. */
const TRIES = 100;
const WINDOW_MS = 60_000;

/** Addresses remembered at most: more would be an attack on our memory. */
const REMEMBERED = 10_000;

/**
 * Slows down whoever tries codes or passwords one after another. Counted in this process alone: it
 * makes guessing slow, the length of what is guessed makes it hopeless.
 */
export class Attempts {
  readonly #tries = new Map<string, { count: number; since: number }>();

  /**
   * Counts a try; refuses when there were too many.
   *
   * @example attempts.count("password", request.remoteAddress);
   */
  count(what: string, address: string, now = Date.now()): void {
    const key = `${what} ${address}`;
    const known = this.#tries.get(key);
    if (known !== undefined && now - known.since < WINDOW_MS) {
      known.count += 1;
      if (known.count > TRIES) {
        throw new WharfError("RESOURCE_EXHAUSTED", "too many tries: wait a minute, then try again");
      }
      return;
    }
    this.#tries.delete(key);
    if (this.#tries.size >= REMEMBERED) {
      this.#tries.delete(this.#tries.keys().next().value as string);
    }
    this.#tries.set(key, { count: 1, since: now });
  }
}
