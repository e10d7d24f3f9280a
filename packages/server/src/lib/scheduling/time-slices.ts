/**
 * This folder decides what runs when: time slices of the event loop, fair queues, semaphores, rate limits. Like all of
 * lib/, it imports nothing of ours but lib/.
 */

/** How long one slice may keep the event loop, in milliseconds. */
const SLICE_MS = 1;

interface Waiter {
  start(): void;
}

/** The request that work is for. */
interface Request {
  /** Set when nobody waits for it any more. */
  readonly abandoned?: Error | undefined;
}

/**
 * Cooperative scheduling for work on the event loop that other requests must not wait for. Work is cut into slices, and
 * all the work that shares these slices gets the time of one slice in each tick of the event loop, however many tasks
 * there are: everything else waits for one slice at most. Owners are served round robin: the work of one owner gets the
 * same share of slices whether it is one task or a hundred.
 */
export class TimeSlices {
  readonly #sliceMs: number;
  readonly #now: () => number;
  /** Waiters by owner; the next owner comes first. */
  readonly #waiting = new Map<string, Waiter[]>();
  /** When the first slice of this tick began; undefined before that. */
  #began: number | undefined;
  #isScheduled = false;

  constructor(sliceMs: number = SLICE_MS, now: () => number = () => performance.now()) {
    this.#sliceMs = sliceMs;
    this.#now = now;
  }

  /** Begins a task; its first slice begins at once. A task whose request is abandoned ends at its next pause. */
  task(owner: string, request?: Request): SlicedTask {
    const next = async () => {
      await this.#next(owner);
      if (request?.abandoned !== undefined) throw request.abandoned;
    };
    return new SlicedTask(next, this.#sliceMs, this.#now);
  }

  /** Begins a short task, of which there may be many: in a later tick if this one has no time left for it. */
  begin(owner: string, request?: Request): SlicedTask | Promise<SlicedTask> {
    const task = this.task(owner, request);
    if (this.#waiting.size === 0 && this.#hasTime()) return task;
    return task.yield().then(() => task);
  }

  #next(owner: string): Promise<void> {
    return new Promise((resolve) => {
      const waiters = this.#waiting.get(owner);
      if (waiters === undefined) this.#waiting.set(owner, [{ start: resolve }]);
      else waiters.push({ start: resolve });
      this.#schedule();
    });
  }

  /** Whether this tick has time left. */
  #hasTime(): boolean {
    if (this.#began !== undefined) return this.#now() - this.#began < this.#sliceMs;
    this.#began = this.#now();
    this.#schedule();
    return true;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#began = undefined;
      this.#startSome();
    });
  }

  /** Starts one waiter after the other, at least one, while this tick has time. */
  #startSome(): void {
    if (this.#waiting.size === 0) return;
    if (!this.#hasTime()) {
      this.#schedule();
      return;
    }
    this.#startOne();
    // After the promises that it has settled, and with them the slice itself.
    queueMicrotask(() => process.nextTick(() => this.#startSome()));
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
