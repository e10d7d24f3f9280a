/** An entry of a list of deadlines. */
export abstract class Expiring {
  /** `performance.now()` at its start. */
  readonly started: number = performance.now();
  /** Neighbors in the linked list. Only Deadlines sets them. */
  older: Expiring | undefined = undefined;
  newer: Expiring | undefined = undefined;

  abstract expire(): void;
}

/** Collections of expired entries per time limit. */
const CHECKS_PER_TIMEOUT = 20;

/**
 * The deadlines of all requests with the same time limit: a linked list, oldest first, and one timer. A timer or a
 * set entry per request would be the largest cost of a short request.
 */
export class Deadlines {
  readonly #ms: number;
  #oldest: Expiring | undefined;
  #newest: Expiring | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  add(item: Expiring): void {
    item.older = this.#newest;
    if (this.#newest) this.#newest.newer = item;
    else this.#oldest = item;
    this.#newest = item;
    this.#timer ??= setInterval(
      () => this.#check(),
      Math.ceil(this.#ms / CHECKS_PER_TIMEOUT),
    ).unref();
  }

  /** Removes an entry of the list. */
  delete(item: Expiring): void {
    const { older, newer } = item;
    if (older) older.newer = newer;
    else this.#oldest = newer;
    if (newer) newer.older = older;
    else this.#newest = older;
    item.older = undefined;
    item.newer = undefined;
  }

  #check(): void {
    const latest = performance.now() - this.#ms;
    while (this.#oldest && this.#oldest.started <= latest) {
      const item = this.#oldest;
      this.delete(item);
      item.expire();
    }
    if (this.#oldest) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
