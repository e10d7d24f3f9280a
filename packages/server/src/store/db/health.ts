import type { FailureCause, StoreFailure } from "./failure.ts";

/** The interval of checks. */
const CHECK_MS = 1_000;

/** A read that takes more intervals than this has stalled: load balancers should use another replica. */
const MAX_READ_INTERVALS = 2;

/** The same for writes. An import holds up other writes for longer than any read takes. */
const MAX_WRITE_INTERVALS = 10;

/** Intervals after which a stalled check is abandoned for a new one, which may use another connection. */
const ABANDON_INTERVALS = 10;

/** Intervals without a commit after which a check writes, too: a full disk is detected before requests fail. */
const IDLE_INTERVALS = 10;

/** Causes that may concern one write only: a check shows whether others fail, too. */
const UNPROVEN: ReadonlySet<FailureCause> = new Set(["damaged", "locked", "timeout", "other"]);

/** Health probes: a read and a write. */
export interface StoreProbes {
  /** Failures of reads and writes are reported as for every other caller. */
  read(): Promise<unknown>;
  /** Writes to the store and deletes it again. */
  write(): Promise<void>;
  failureOf(error: unknown): FailureCause | undefined;
}

/** Is notified of failures and of recovery. */
export interface HealthObserver {
  failed(failure: StoreFailure): void;
  recovered(failure: StoreFailure): void;
}

/**
 * Whether the store can be read and written. Checks read at an interval, and write while the store is idle
 * or has failed. Without waiting for the next check:
 *
 * - the first write that the database itself rejects is a failure, and the next commit is the recovery; after
 *   a full disk, only a check is, which writes as many bytes as typical writes;
 * - a failed read starts a check: it may be the only row that cannot be read.
 *
 * Time is counted in intervals, so that a paused process does not count its pause as a stall.
 */
export class StoreHealth {
  readonly #probes: StoreProbes;
  readonly #intervalMs: number;
  readonly #observers: HealthObserver[] = [];
  readonly #listeners: (() => void)[] = [];
  #failure: StoreFailure | undefined;
  /** The number of the running check; undefined while none runs. */
  #check: number | undefined;
  #checks = 0;
  #checkIntervals = 0;
  #idleIntervals = 0;
  /** Whether a request failed in a way that only a check can confirm. */
  #isSuspect = false;
  /** Whether such a request has started a check in this interval: each may fail, and checks are load. */
  #hasChecked = false;
  #pendingWrites = 0;
  #writeIntervals = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(probes: StoreProbes, intervalMs = CHECK_MS) {
    this.#probes = probes;
    this.#intervalMs = intervalMs;
  }

  /** Why the store cannot be read or written; undefined while it can. */
  get failure(): StoreFailure | undefined {
    return this.#failure;
  }

  observe(observer: HealthObserver): void {
    this.#observers.push(observer);
  }

  /** Calls back after every change of `failure`. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Starts to check the store. */
  start(): void {
    this.#timer = setInterval(() => this.#tick(), this.#intervalMs).unref();
  }

  /** The store is being closed: what fails from now on is no failure. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#observers.length = 0;
    this.#listeners.length = 0;
  }

  /** A write was requested; it counts as pending until it settles. */
  writing(write: Promise<unknown>): void {
    this.#pendingWrites++;
    const settled = () => {
      this.#pendingWrites--;
      this.#writeIntervals = 0;
    };
    write.then(settled, settled);
  }

  /** A commit proves that the store can be written, but not that a full disk has space again. */
  committed(): void {
    this.#idleIntervals = 0;
    const { operation, cause } = this.#failure ?? {};
    if (operation === "write" && cause !== "disk_full") this.#recover();
  }

  /** A request failed because of the database. */
  failed(failure: StoreFailure): void {
    this.#report(failure);
    if (failure.operation === "write" && !UNPROVEN.has(failure.cause)) this.#set(failure);
    else {
      this.#isSuspect = true;
      this.#checkOnce();
    }
  }

  /** Starts a check without waiting for the next interval. */
  #checkOnce(): void {
    const isIdle = this.#check === undefined && this.#timer !== undefined;
    if (this.#hasChecked || this.#failure !== undefined || !isIdle) return;
    this.#hasChecked = true;
    void this.#run();
  }

  #tick(): void {
    this.#hasChecked = false;
    this.#idleIntervals++;
    if (this.#pendingWrites > 0 && ++this.#writeIntervals > MAX_WRITE_INTERVALS)
      this.#stalled("write");
    if (this.#check !== undefined) {
      this.#checkIntervals++;
      if (this.#checkIntervals > MAX_READ_INTERVALS) this.#stalled("read");
      if (this.#checkIntervals <= ABANDON_INTERVALS) return;
    }
    void this.#run();
  }

  /** Checks the store, and recovers if it can be read and written. The result of an abandoned check is ignored. */
  async #run(): Promise<void> {
    const check = ++this.#checks;
    this.#check = check;
    this.#checkIntervals = 0;
    const isCurrent = () => this.#check === check;
    let operation: StoreFailure["operation"] = "read";
    try {
      await this.#probes.read();
      if (!isCurrent()) return;
      if (this.#failure !== undefined || this.#isSuspect || this.#idleIntervals >= IDLE_INTERVALS) {
        operation = "write";
        this.#isSuspect = false;
        await this.#probes.write();
        if (isCurrent()) this.#recover();
      }
    } catch (error) {
      if (isCurrent()) this.#checkFailed(operation, error);
    } finally {
      if (isCurrent()) this.#check = undefined;
    }
  }

  #checkFailed(operation: StoreFailure["operation"], error: unknown): void {
    const cause = this.#probes.failureOf(error);
    const failure: StoreFailure = { operation, cause: cause ?? "other", error };
    if (cause === undefined) this.#report(failure);
    this.#set(failure);
  }

  #stalled(operation: StoreFailure["operation"]): void {
    if (this.#failure !== undefined) return;
    const failure: StoreFailure = { operation, cause: "timeout", error: undefined };
    this.#report(failure);
    this.#set(failure);
  }

  #report(failure: StoreFailure): void {
    for (const observer of this.#observers) observer.failed(failure);
  }

  #recover(): void {
    const before = this.#failure;
    if (before === undefined) return;
    this.#set(undefined);
    for (const observer of this.#observers) observer.recovered(before);
  }

  #set(failure: StoreFailure | undefined): void {
    this.#failure = failure;
    for (const listener of this.#listeners) listener();
  }
}
