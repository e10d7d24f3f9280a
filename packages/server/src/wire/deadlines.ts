/** Something that must be over by a certain time. */
export interface Expiring {
  /** `performance.now()` of its beginning. */
  readonly started: number;
  expire(): void;
}

/** How many times the shared clock looks in the time that a request may take. */
const LOOKS = 20;

/**
 * One clock for all requests that have the same time limit. A timer for each would be the most
 * expensive thing we do for a short request; here it is an entry in a set that is in order of age.
 */
export class Deadlines {
  readonly #ms: number;
  readonly #open = new Set<Expiring>();
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  add(item: Expiring): void {
    this.#open.add(item);
    this.#timer ??= setInterval(() => this.#look(), Math.ceil(this.#ms / LOOKS)).unref();
  }

  delete(item: Expiring): void {
    this.#open.delete(item);
  }

  #look(): void {
    const latest = performance.now() - this.#ms;
    for (const item of this.#open) {
      if (item.started > latest) return;
      this.#open.delete(item);
      item.expire();
    }
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
