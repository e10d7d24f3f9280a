/** How long one slice may keep the event loop, in milliseconds. */
const SLICE_MS = 2;

interface Waiter {
  start(): void;
}

/**
 * Cooperative scheduling for long work on the event loop. Work is cut into slices, and each tick of
 * the event loop starts one slice of all the work that shares these slices, so other requests wait for one
 * slice at most. Owners are served round robin: the work of one owner gets the same share of slices
 * whether it is one task or a hundred.
 */
export class TimeSlices {
  readonly #sliceMs: number;
  readonly #now: () => number;
  /** Waiters by owner; the next owner comes first. */
  readonly #waiting = new Map<string, Waiter[]>();
  #isScheduled = false;

  constructor(sliceMs: number = SLICE_MS, now: () => number = () => performance.now()) {
    this.#sliceMs = sliceMs;
    this.#now = now;
  }

  /** Begins a task; its first slice begins at once. A task whose signal is aborted ends at its next pause. */
  task(owner: string, signal?: AbortSignal): SlicedTask {
    const next = async () => {
      await this.#next(owner);
      signal?.throwIfAborted();
    };
    return new SlicedTask(next, this.#sliceMs, this.#now);
  }

  #next(owner: string): Promise<void> {
    return new Promise((resolve) => {
      const waiters = this.#waiting.get(owner);
      if (waiters === undefined) this.#waiting.set(owner, [{ start: resolve }]);
      else waiters.push({ start: resolve });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.size === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#startOne();
      this.#schedule();
    });
  }

  #startOne(): void {
    const [first] = this.#waiting;
    if (first === undefined) return;
    const [owner, waiters] = first;
    this.#waiting.delete(owner);
    const next = waiters.shift();
    if (waiters.length > 0) this.#waiting.set(owner, waiters);
    next?.start();
  }
}

/** Work that yields after each slice. */
export class SlicedTask {
  readonly #next: () => Promise<void>;
  readonly #sliceMs: number;
  readonly #now: () => number;
  #began: number;

  constructor(next: () => Promise<void>, sliceMs: number, now: () => number) {
    this.#next = next;
    this.#sliceMs = sliceMs;
    this.#now = now;
    this.#began = now();
  }

  /** To be awaited between short steps: continues at once within a slice, and waits for the next one after it. */
  pause(): Promise<void> | undefined {
    return this.#now() - this.#began < this.#sliceMs ? undefined : this.yield();
  }

  /** Waits for the next slice. */
  async yield(): Promise<void> {
    await this.#next();
    this.#began = this.#now();
  }
}
