/** The bounds of a queue. */
export interface FairQueueLimits {
  /** Jobs that run at the same time. */
  readonly concurrency: number;
  /** Jobs of one key that may wait. */
  readonly maxQueuedPerKey: number;
  /** Jobs of all keys that may wait. */
  readonly maxQueued: number;
}

/** Rejects a job when the queue is full. */
export class QueueFullError extends Error {
  override readonly name = "QueueFullError";
}

interface Job {
  start(): void;
  reject(error: QueueFullError): void;
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
  /** How many jobs of each key were started in this window. */
  #started = new Map<string, number>();
  #windowEnds = 0;
  #waitingCount = 0;
  #running = 0;

  constructor(limits: FairQueueLimits, clock: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Runs a job. Rejects with QueueFullError when the queue is full. */
  async run<T>(key: string, job: () => Promise<T>): Promise<T> {
    if (this.#running < this.#limits.concurrency) {
      this.#running += 1;
      this.#count(key);
    } else await this.#wait(key);
    try {
      return await job();
    } finally {
      // The next job takes over the permit.
      if (!this.#startNext()) this.#running -= 1;
    }
  }

  /** Removes one job of a key from the count: it was legitimate. */
  forgive(key: string): void {
    const started = this.#started.get(key) ?? 0;
    if (started > 1) this.#started.set(key, started - 1);
    else this.#started.delete(key);
  }

  #wait(key: string): Promise<void> {
    const queue = this.#waiting.get(key) ?? [];
    if (queue.length >= this.#limits.maxQueuedPerKey) throw new QueueFullError();
    if (this.#waitingCount >= this.#limits.maxQueued) this.#makeRoom(queue.length);
    return new Promise((resolve, reject) => {
      queue.push({ start: resolve, reject });
      this.#waiting.set(key, queue);
      this.#waitingCount += 1;
    });
  }

  /** Rejects the newest job of the longest queue, if that stays no shorter than the growing one. */
  #makeRoom(length: number): void {
    let longest: Job[] = [];
    for (const queue of this.#waiting.values()) if (queue.length > longest.length) longest = queue;
    if (longest.length <= length + 1) throw new QueueFullError();
    const dropped = longest.pop() as Job;
    this.#waitingCount -= 1;
    dropped.reject(new QueueFullError());
  }

  #startNext(): boolean {
    let fewest = Number.POSITIVE_INFINITY;
    let key = "";
    for (const waiting of this.#waiting.keys()) {
      const started = this.#started.get(waiting) ?? 0;
      if (started >= fewest) continue;
      fewest = started;
      key = waiting;
    }
    const queue = this.#waiting.get(key);
    if (queue === undefined) return false;
    this.#count(key);
    const job = queue.shift() as Job;
    this.#waitingCount -= 1;
    // Behind keys that had as many jobs.
    this.#waiting.delete(key);
    if (queue.length > 0) this.#waiting.set(key, queue);
    job.start();
    return true;
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
