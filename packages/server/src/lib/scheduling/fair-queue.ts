/** The bounds of a queue. */
export interface FairQueueLimits {
  /** Jobs that run at the same time. */
  readonly concurrency: number;
  /** Jobs of one key that run at the same time; by default as many as of all keys. */
  readonly concurrencyPerKey?: number;
  /** Jobs of one key that may wait. */
  readonly maxQueuedPerKey: number;
  /** Jobs of all keys that may wait. */
  readonly maxQueued: number;
}

/** Rejects a job when the queue is full: the share of its key, or the queue of all keys. */
export class QueueFullError extends Error {
  override readonly name = "QueueFullError";
  readonly full: "key" | "queue";

  constructor(full: "key" | "queue") {
    super(`the ${full} has too many jobs waiting`);
    this.full = full;
  }
}

interface Job {
  start(): void;
  reject(error: unknown): void;
}

/** Jobs of a key count against it for up to this long. */
const WINDOW_MS = 60_000;

/**
 * A fair semaphore: of all waiting jobs, the next one is of the key that had the fewest jobs in the current
 * window; keys with equally many alternate, and each key is first in, first out. So a key with many jobs
 * delays its own, and a new key waits only for running jobs. No key can fill the queue: when it is full,
 * the newest job of the key with the most waiting is rejected in favor of a key with fewer.
 */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  readonly #clock: () => number;
  /** The waiting jobs of each key; the key that was served longest ago comes first. */
  readonly #waiting = new Map<string, Job[]>();
  /** Number of jobs of each key that were started in this window. */
  #started = new Map<string, number>();
  #windowEnds = 0;
  #waitingCount = 0;
  /** The number of running jobs of each key that has any. */
  readonly #runningOf = new Map<string, number>();
  #running = 0;

  constructor(limits: FairQueueLimits, clock: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** The number of jobs that run, and that wait. */
  get size(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running, waiting: this.#waitingCount };
  }

  /**
   * Runs a job. Rejects with QueueFullError when the queue is full, and with the reason of the signal if that is aborted
   * while the job waits.
   */
  async run<T>(key: string, job: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#running < this.#limits.concurrency && this.#isFree(key)) this.#begin(key);
    else await this.#wait(key, signal);
    try {
      return await job();
    } finally {
      this.#end(key);
      this.#startNext();
    }
  }

  /** Removes one job of a key from the count: it was legitimate. */
  forgive(key: string): void {
    const started = this.#started.get(key) ?? 0;
    if (started > 1) this.#started.set(key, started - 1);
    else this.#started.delete(key);
  }

  #isFree(key: string): boolean {
    const { concurrency, concurrencyPerKey = concurrency } = this.#limits;
    return (this.#runningOf.get(key) ?? 0) < concurrencyPerKey;
  }

  #begin(key: string): void {
    this.#running += 1;
    this.#runningOf.set(key, (this.#runningOf.get(key) ?? 0) + 1);
    this.#count(key);
  }

  #end(key: string): void {
    this.#running -= 1;
    const running = (this.#runningOf.get(key) ?? 0) - 1;
    if (running > 0) this.#runningOf.set(key, running);
    else this.#runningOf.delete(key);
  }

  #wait(key: string, signal: AbortSignal | undefined): Promise<void> {
    const queue = this.#waiting.get(key) ?? [];
    if (queue.length >= this.#limits.maxQueuedPerKey) throw new QueueFullError("key");
    if (this.#waitingCount >= this.#limits.maxQueued) this.#makeRoom(queue.length);
    return new Promise<void>((resolve, reject) => {
      const abort = () => {
        this.#remove(key, job);
        reject(signal?.reason);
      };
      const job: Job = {
        start() {
          signal?.removeEventListener("abort", abort);
          resolve();
        },
        reject(error) {
          signal?.removeEventListener("abort", abort);
          reject(error);
        },
      };
      signal?.addEventListener("abort", abort);
      queue.push(job);
      this.#waiting.set(key, queue);
      this.#waitingCount += 1;
    });
  }

  #remove(key: string, job: Job): void {
    const queue = this.#waiting.get(key) ?? [];
    queue.splice(queue.indexOf(job), 1);
    this.#waitingCount -= 1;
    if (queue.length === 0) this.#waiting.delete(key);
  }

  /** Rejects the newest job of the longest queue, if that stays no shorter than the growing one. */
  #makeRoom(length: number): void {
    let longest: Job[] = [];
    for (const queue of this.#waiting.values()) if (queue.length > longest.length) longest = queue;
    if (longest.length <= length + 1) throw new QueueFullError("queue");
    const dropped = longest.pop() as Job;
    this.#waitingCount -= 1;
    dropped.reject(new QueueFullError("queue"));
  }

  /** Starts the next job at once, so that none that comes later overtakes it. */
  #startNext(): void {
    let fewest = Number.POSITIVE_INFINITY;
    let next: string | undefined;
    for (const key of this.#waiting.keys()) {
      const started = this.#started.get(key) ?? 0;
      if (started >= fewest || !this.#isFree(key)) continue;
      fewest = started;
      next = key;
    }
    if (next === undefined) return;
    const queue = this.#waiting.get(next) as Job[];
    const job = queue.shift() as Job;
    this.#waitingCount -= 1;
    // Behind keys that had as many jobs.
    this.#waiting.delete(next);
    if (queue.length > 0) this.#waiting.set(next, queue);
    this.#begin(next);
    job.start();
  }

  #count(key: string): void {
    const now = this.#clock();
    if (now >= this.#windowEnds || now < this.#windowEnds - WINDOW_MS) {
      this.#started = new Map();
      this.#windowEnds = now + WINDOW_MS;
    }
    this.#started.set(key, (this.#started.get(key) ?? 0) + 1);
  }
}
