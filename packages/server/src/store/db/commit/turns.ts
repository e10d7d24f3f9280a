/**
 * How the batches of several replicas share the database.
 *
 * A batch locks the rows that it changes until its commit. Which rows these are is known only while its
 * writes run, so no order of locks can be kept: two batches that need the same rows can wait for each
 * other. The database notices after a second and rolls one of them back.
 *
 * So batches run together only while that works. A batch that waits too long for a row, or that the
 * database rolls back, runs again alone, and its replica keeps to that for a while: one batch after the
 * other, each replica in turn, is as fast as a single replica.
 *
 * What every batch locks has an order, so that batches on unrelated rows never wait for each other in a
 * circle: the access version first, then the counts, sorted by their key. Both are locked at the end.
 */
export type Turn = "together" | "alone";

/** How long a replica takes turns after the first conflict. */
const MIN_TURNS_MS = 5_000;

/** Conflicts that return soon double the time, up to this. */
const MAX_TURNS_MS = 60_000;

/** Remembers the recent conflicts of a replica with others. */
export class Turns {
  readonly #now: () => number;
  #until = Number.NEGATIVE_INFINITY;
  #ms = 0;

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** How the next batch runs. */
  get next(): Turn {
    return this.#now() < this.#until ? "alone" : "together";
  }

  /** Records a conflict with the batch of another replica. */
  conflicted(): void {
    const now = this.#now();
    const isBack = now < this.#until + this.#ms;
    this.#ms = isBack ? Math.min(this.#ms * 2, MAX_TURNS_MS) : MIN_TURNS_MS;
    this.#until = now + this.#ms;
  }
}
