/**
 * Mode of the lock under which the batches of several replicas run.
 *
 * A batch locks the rows that it changes until its commit. Which rows these are is known only while its
 * writes run, so no order of locks can be kept: two batches that need the same rows can wait for each
 * other. The database notices after a second and rolls one of them back.
 *
 * So batches run together only while that works. A batch that waits too long for a row, or that the
 * database rolls back, runs again alone, and its replica keeps to that for a while: one batch after the
 * other, each replica in turn, is as fast as a single replica.
 *
 * The rows that every batch locks have an order, so that batches on unrelated rows never wait for each other in a
 * circle: the access version first, then the counts, sorted by their key. Both are locked at the end.
 */
export type MutexMode = "shared" | "exclusive";

/** The time of exclusive batches after the first conflict. */
const MIN_EXCLUSIVE_MS = 5_000;

/** Conflicts that return soon double the time, up to this. */
const MAX_EXCLUSIVE_MS = 60_000;

/** The policy of one replica for the mutex of all: shared until a batch conflicts with one of another replica. */
export class ReplicaMutex {
  readonly #now: () => number;
  #until = Number.NEGATIVE_INFINITY;
  #ms = 0;

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** The mode of the next batch. */
  get next(): MutexMode {
    return this.#now() < this.#until ? "exclusive" : "shared";
  }

  /** Records a conflict with the batch of another replica. */
  conflicted(): void {
    const now = this.#now();
    const isBack = now < this.#until + this.#ms;
    this.#ms = isBack ? Math.min(this.#ms * 2, MAX_EXCLUSIVE_MS) : MIN_EXCLUSIVE_MS;
    this.#until = now + this.#ms;
  }
}
