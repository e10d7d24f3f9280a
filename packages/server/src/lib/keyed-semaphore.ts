interface Holders {
  active: number;
  readonly queue: (() => void)[];
}

/**
 * A semaphore for each key: of the work of one key only so much runs at a time, and only so much
 * waits. Keys without work take no memory.
 *
 * @example await lists.run(caller.uid, () => readPage(…));
 */
export class KeyedSemaphore {
  readonly #concurrency: number;
  readonly #maxQueued: number;
  readonly #overflow: () => Error;
  readonly #holders = new Map<string, Holders>();

  /** `overflow` makes the error for work that finds the queue full. */
  constructor(concurrency: number, maxQueued: number, overflow: () => Error) {
    this.#concurrency = concurrency;
    this.#maxQueued = maxQueued;
    this.#overflow = overflow;
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    await this.#acquire(key);
    try {
      return await work();
    } finally {
      this.#release(key);
    }
  }

  #acquire(key: string): Promise<void> | undefined {
    let holders = this.#holders.get(key);
    if (holders === undefined) {
      holders = { active: 0, queue: [] };
      this.#holders.set(key, holders);
    }
    if (holders.active < this.#concurrency) {
      holders.active += 1;
      return undefined;
    }
    const { queue } = holders;
    if (queue.length >= this.#maxQueued) throw this.#overflow();
    return new Promise((resolve) => queue.push(resolve));
  }

  /** The next in the queue takes over the permit. */
  #release(key: string): void {
    const holders = this.#holders.get(key);
    if (holders === undefined) return;
    const next = holders.queue.shift();
    if (next !== undefined) {
      next();
      return;
    }
    holders.active -= 1;
    if (holders.active === 0) this.#holders.delete(key);
  }
}
