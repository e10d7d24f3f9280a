/**
 * Timeouts that are measured in ticks of one timer. A process that was paused, or had no CPU, has missed
 * one tick at most: it does not mistake its own pause for the silence of a peer whose answer it has not
 * read yet.
 */
export class Ticks {
  readonly #ms: number;
  readonly #timer: NodeJS.Timeout;
  /** The ticks that are left until each runs. */
  readonly #deadlines = new Map<() => void, number>();
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
    this.#deadlines.set(expire, this.count(ms));
    return () => this.#deadlines.delete(expire);
  }

  /** Expires everything at once. */
  stop(): void {
    clearInterval(this.#timer);
    for (const expire of this.#deadlines.keys()) expire();
    this.#deadlines.clear();
  }

  #tick(): void {
    for (const [expire, left] of this.#deadlines) {
      if (left > 1) this.#deadlines.set(expire, left - 1);
      else {
        this.#deadlines.delete(expire);
        expire();
      }
    }
    for (const observer of this.#observers) observer();
  }
}
