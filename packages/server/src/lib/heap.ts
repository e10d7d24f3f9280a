/** A binary min-heap. */
export class Heap<T> {
  readonly #items: T[];
  readonly #compare: (a: T, b: T) => number;

  constructor(items: Iterable<T>, compare: (a: T, b: T) => number) {
    this.#items = [...items];
    this.#compare = compare;
    for (let at = (this.#items.length >> 1) - 1; at >= 0; at--) this.#sink(at);
  }

  get least(): T | undefined {
    return this.#items[0];
  }

  /** Restores the order after the least item has grown. */
  leastGrew(): void {
    this.#sink(0);
  }

  removeLeast(): void {
    const last = this.#items.pop();
    if (last === undefined || this.#items.length === 0) return;
    this.#items[0] = last;
    this.#sink(0);
  }

  #sink(from: number): void {
    const items = this.#items;
    let at = from;
    for (;;) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < items.length && this.#compare(items[child] as T, items[least] as T) < 0) {
          least = child;
        }
      }
      if (least === at) return;
      const moved = items[at] as T;
      items[at] = items[least] as T;
      items[least] = moved;
      at = least;
    }
  }
}
