/** Something that must be over by a certain time. */
export abstract class Expiring {
  /** `performance.now()` of its beginning. */
  readonly started: number = performance.now();
  /** Neighbours in the list of what is under way; only the list touches them. */
  older: Expiring | undefined = undefined;
  newer: Expiring | undefined = undefined;

  abstract expire(): void;
}

/** How many times the shared clock looks in the time that a request may take. */
const LOOKS = 20;

/**
 * One clock for all requests that have the same time limit, looking at the oldest first. A timer or
 * an entry in a set for each would be the most expensive thing we do for a short request; a place
 * in a linked list is next to nothing.
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
    this.#timer ??= setInterval(() => this.#look(), Math.ceil(this.#ms / LOOKS)).unref();
  }

  /** Takes out what `add` put in. */
  delete(item: Expiring): void {
    const { older, newer } = item;
    if (older) older.newer = newer;
    else this.#oldest = newer;
    if (newer) newer.older = older;
    else this.#newest = older;
    item.older = undefined;
    item.newer = undefined;
  }

  #look(): void {
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
