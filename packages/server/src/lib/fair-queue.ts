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

/**
 * Runs jobs a few at a time. Those that wait are started in turns by key, oldest first within a key,
 * so that a key with many jobs delays the others by one job in each round. A key can neither fill the
 * queue alone nor together with others that have as many jobs: when the queue is full, the newest job
 * of the key with the most makes room for one of a key with fewer.
 */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  /** The waiting jobs of each key; the key whose turn is next comes first. */
  readonly #waiting = new Map<string, Job[]>();
  #waitingCount = 0;
  #running = 0;

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
  }

  /** Runs a job when its turn comes. Rejects with QueueFullError when there is no room for it. */
  async run<T>(key: string, job: () => Promise<T>): Promise<T> {
    if (this.#running < this.#limits.concurrency) this.#running += 1;
    else await this.#turn(key);
    try {
      return await job();
    } finally {
      // The next job takes over the slot; without one it is free.
      if (!this.#startNext()) this.#running -= 1;
    }
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
    const [next] = this.#waiting;
    if (next === undefined) return false;
    const [key, queue] = next;
    const job = queue.shift() as Job;
    this.#waitingCount -= 1;
    // To the end of the round.
    this.#waiting.delete(key);
    if (queue.length > 0) this.#waiting.set(key, queue);
    job.start();
    return true;
  }
}
