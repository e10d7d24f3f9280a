/** The bounds of a queue. */
export interface FairQueueLimits {
  /** Jobs that run at the same time. */
  readonly concurrency: number;
  /** Jobs of one key that wait at most. */
  readonly waitingPerKey: number;
  /** Jobs that wait at most, over all keys. */
  readonly waiting: number;
}

/** Rejects a job for which there is no room in the queue. */
export class QueueFullError extends Error {
  override readonly name = "QueueFullError";
}

interface Job {
  start(): void;
  reject(error: QueueFullError): void;
}

/** Jobs of a key count against it for this long at most. */
const WINDOW_MS = 60_000;

/**
 * Runs jobs a few at a time. The next one is of the key that had the fewest jobs lately, keys with
 * equally many take turns, and within a key the oldest comes first: a key with many jobs delays its
 * own, and those of a newcomer by what is running. A key can neither fill the queue alone nor together
 * with others that have as many jobs: when the queue is full, the newest job of the key with the most
 * waiting makes room for one of a key with fewer.
 */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  readonly #clock: () => number;
  /** The waiting jobs of each key; the key whose turn was longest ago comes first. */
  readonly #waiting = new Map<string, Job[]>();
  /** How many jobs of each key were started in this window. */
  #started = new Map<string, number>();
  #windowEnds = 0;
  #waitingCount = 0;
  #running = 0;

  constructor(limits: FairQueueLimits, clock: () => number = Date.now) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Runs a job when its turn comes. Rejects with QueueFullError when there is no room for it. */
  async run<T>(key: string, job: () => Promise<T>): Promise<T> {
    if (this.#running < this.#limits.concurrency) {
      this.#running += 1;
      this.#count(key);
    } else await this.#turn(key);
    try {
      return await job();
    } finally {
      // The next job takes over the slot; without one it is free.
      if (!this.#startNext()) this.#running -= 1;
    }
  }

  /** Takes one job of a key out of the count: it was no abuse. */
  forgive(key: string): void {
    const started = this.#started.get(key) ?? 0;
    if (started > 1) this.#started.set(key, started - 1);
    else this.#started.delete(key);
  }

  #turn(key: string): Promise<void> {
    const queue = this.#waiting.get(key) ?? [];
    if (queue.length >= this.#limits.waitingPerKey) throw new QueueFullError();
    if (this.#waitingCount >= this.#limits.waiting) this.#makeRoom(queue.length);
    return new Promise((resolve, reject) => {
      queue.push({ start: resolve, reject });
      this.#waiting.set(key, queue);
      this.#waitingCount += 1;
    });
  }

  /** Drops the newest job of the longest queue, if that stays no shorter than the one that grows. */
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
    // Behind those that had as many.
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
