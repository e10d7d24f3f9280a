interface Deadline {
  left: number;
  expire(): void;
}

/**
 * Timeouts that are measured in ticks of one timer. A process that was paused, or had no CPU, has missed
 * one tick at most: it does not mistake its own pause for the silence of a peer whose answer it has not
 * read yet.
 */
export class Ticks {
  readonly #ms: number;
  readonly #timer: NodeJS.Timeout;
  readonly #deadlines = new Set<Deadline>();
  readonly #observers: (() => void)[] = [];

  constructor(ms: number) {
    this.#ms = ms;
    this.#timer = setInterval(() => this.#tick(), ms).unref();
  }

  /** Runs on every tick. */
  observe(observer: () => void): void {
    this.#observers.push(observer);
  }

  /** The number of ticks in a time. */
  count(ms: number): number {
    return Math.max(1, Math.ceil(ms / this.#ms));
  }

  /** Runs after a time, unless the returned function is called before. */
  after(ms: number, expire: () => void): () => void {
    const deadline = { left: this.count(ms), expire };
    this.#deadlines.add(deadline);
    return () => this.#deadlines.delete(deadline);
  }

  /** Expires everything at once. */
  stop(): void {
    clearInterval(this.#timer);
    for (const deadline of this.#deadlines) deadline.expire();
    this.#deadlines.clear();
  }

  #tick(): void {
    for (const deadline of this.#deadlines) {
      if (--deadline.left > 0) continue;
      this.#deadlines.delete(deadline);
      deadline.expire();
    }
    for (const observer of this.#observers) observer();
  }
}
