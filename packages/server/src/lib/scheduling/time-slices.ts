import { FairOrder, type FairOrderLimits, type Owner } from "./fair-order.ts";

/** Length of a slice on the event loop, in milliseconds. */
const SLICE_MS = 1;

const UNLIMITED: FairOrderLimits = {
  maxQueuedPerKey: Number.POSITIVE_INFINITY,
  maxQueued: Number.POSITIVE_INFINITY,
};

/** The request that work is for. */
interface Request {
  /** Set when nobody waits for it any more. */
  readonly abandoned?: Error | undefined;
}

/**
 * Cooperative scheduling for work on the event loop. Work is cut into slices, and all work that shares these slices gets
 * the time of one slice in each tick of the event loop, however many requests and tasks there are: new requests are read
 * after one slice at most. Owners get equal time, whether they have one task or a hundred.
 */
export class TimeSlices {
  readonly #sliceMs: number;
  readonly #now: () => number;
  readonly #order: FairOrder;
  /** When the first slice of this tick began; undefined before that. */
  #began: number | undefined;
  #isScheduled = false;

  constructor(
    sliceMs: number = SLICE_MS,
    now: () => number = () => performance.now(),
    limits: FairOrderLimits = UNLIMITED,
  ) {
    this.#sliceMs = sliceMs;
    this.#now = now;
    this.#order = new FairOrder(limits);
  }

  /** The number of requests and tasks that wait for a slice. */
  get waiting(): number {
    return this.#order.waiting;
  }

  /** Begins a task; its first slice begins at once. A task whose request is abandoned ends at its next pause. */
  task(owner: Owner, request?: Request): SlicedTask {
    return new SlicedTask(() => this.#wait(owner, request), this.#sliceMs, this.#now);
  }

  /**
   * Waits for a slice to begin a request in, or anything else that is short; undefined if this tick has time for it.
   * Rejects with QueueFullError, and if the request is abandoned meanwhile.
   */
  begin(owner: () => Owner, request?: Request): Promise<void> | undefined {
    if (this.#order.waiting === 0 && this.#hasTime()) return undefined;
    return this.#wait(owner(), request, true);
  }

  /** Waits for a slice to continue a request in; undefined if this tick has time for it. Rejects if it is abandoned. */
  continue(owner: () => Owner, request?: Request): Promise<void> | undefined {
    return this.#hasTime() ? undefined : this.#wait(owner(), request);
  }

  /** Adds time that an owner has used outside of slices. */
  charge(owner: Owner, ms: number): void {
    this.#order.charge(owner, ms);
  }

  #wait(owner: Owner, request?: Request, canBeDropped = false): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        if (request?.abandoned === undefined) resolve();
        else reject(request.abandoned);
      };
      this.#order.add(owner, canBeDropped ? { start, reject } : { start });
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
    setImmediate(this.#tick);
  }

  readonly #tick = (): void => {
    this.#isScheduled = false;
    this.#began = undefined;
    this.#startSome();
  };

  /** Starts one job after the other, at least one, while this tick has time. */
  #startSome(): void {
    if (this.#order.waiting === 0) return;
    if (!this.#hasTime()) {
      this.#schedule();
      return;
    }
    const next = this.#order.take();
    if (next === undefined) return;
    const began = this.#now();
    next.job.start();
    // After the promises that it has settled, and with them the slice itself.
    queueMicrotask(() =>
      process.nextTick(() => {
        this.#order.charge(next.owner, this.#now() - began);
        this.#startSome();
      }),
    );
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
