/** Bounds how much work runs at a time; the rest waits, first in, first out. */
export class Semaphore {
  readonly #concurrency: number;
  readonly #queue: (() => void)[] = [];
  #active = 0;

  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#active < this.#concurrency) this.#active += 1;
    else await new Promise<void>((resolve) => this.#queue.push(resolve));
    try {
      return await work();
    } finally {
      // The next in the queue takes over the permit, so later work cannot overtake it.
      const next = this.#queue.shift();
      if (next === undefined) this.#active -= 1;
      else next();
    }
  }
}

export interface KeyedSemaphoreOptions {
  /** Permits of one key. */
  readonly perKey: number;
  /** Permits of all keys together; unlimited by default. */
  readonly total?: number;
  /** Work of one key that may wait; unlimited by default. */
  readonly maxQueuedPerKey?: number;
  /** Work of all keys that may wait; unlimited by default. */
  readonly maxQueued?: number;
  /** Maximum wait of work; unlimited by default. */
  readonly maxWaitMs?: number;
  /** Makes the error for work that finds the queue full or has waited too long. */
  readonly rejection: () => Error;
}

interface Waiter {
  /** Its position in the order of arrival over all keys. */
  readonly number: number;
  start(): void;
}

interface Permits {
  active: number;
  readonly queue: Set<Waiter>;
}

/**
 * A semaphore for each key, with an optional bound over all keys. Work starts in the order of arrival,
 * except that work whose key has no free permit does not hold up other keys. Idle keys take no memory.
 */
export class KeyedSemaphore {
  readonly #options: Required<KeyedSemaphoreOptions>;
  readonly #keys = new Map<string, Permits>();
  #active = 0;
  #queued = 0;
  #arrivals = 0;

  constructor(options: KeyedSemaphoreOptions) {
    const unlimited = Number.POSITIVE_INFINITY;
    this.#options = {
      total: unlimited,
      maxQueuedPerKey: unlimited,
      maxQueued: unlimited,
      maxWaitMs: unlimited,
      ...options,
    };
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    await this.acquire(key);
    try {
      return await work();
    } finally {
      this.release(key);
    }
  }

  /** Resolves with a permit, to be released exactly once. */
  async acquire(key: string): Promise<void> {
    const permits = this.#keys.get(key) ?? { active: 0, queue: new Set() };
    if (!this.#isFree(permits)) return this.#wait(key, permits);
    this.#keys.set(key, permits);
    this.#take(permits);
  }

  release(key: string): void {
    const permits = this.#keys.get(key) as Permits;
    permits.active -= 1;
    this.#active -= 1;
    this.#next(permits)?.start();
    this.#forget(key, permits);
  }

  #isFree({ active }: Permits): boolean {
    return active < this.#options.perKey && this.#active < this.#options.total;
  }

  #take(permits: Permits): void {
    permits.active += 1;
    this.#active += 1;
  }

  #wait(key: string, permits: Permits): Promise<void> {
    const { maxQueuedPerKey, maxQueued, maxWaitMs, rejection } = this.#options;
    const { queue } = permits;
    if (queue.size >= maxQueuedPerKey || this.#queued >= maxQueued) throw rejection();
    this.#keys.set(key, permits);
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        queue.delete(waiter);
        this.#queued -= 1;
      };
      const start = () => {
        leave();
        this.#take(permits);
        resolve();
      };
      const expire = () => {
        leave();
        this.#forget(key, permits);
        reject(rejection());
      };
      const waiter: Waiter = { number: this.#arrivals++, start };
      const timer = Number.isFinite(maxWaitMs) ? setTimeout(expire, maxWaitMs) : undefined;
      queue.add(waiter);
      this.#queued += 1;
    });
  }

  /** Next waiter for a released permit: without a bound over all keys, the next of its own key. */
  #next(released: Permits): Waiter | undefined {
    if (this.#options.total === Number.POSITIVE_INFINITY) return first(released.queue);
    let next: Waiter | undefined;
    for (const permits of this.#keys.values()) {
      const waiter = this.#isFree(permits) ? first(permits.queue) : undefined;
      if (waiter !== undefined && waiter.number < (next?.number ?? waiter.number + 1))
        next = waiter;
    }
    return next;
  }

  #forget(key: string, { active, queue }: Permits): void {
    if (active === 0 && queue.size === 0) this.#keys.delete(key);
  }
}

function first(queue: Set<Waiter>): Waiter | undefined {
  return queue.values().next().value;
}
