import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { WharfError } from "../lib/errors.ts";
import type { Store } from "../store/db/store.ts";
import {
  readPass,
  recordPassProblem,
  releaseLease,
  takeLease,
} from "../store/tables/registry/passes.ts";

/** Another replica continues a pass whose lease was not renewed for this long. */
const LEASE_MS = 60_000;

/** Polling interval of the store for a due or requested pass. */
const POLL_INTERVAL_MS = 10_000;

/** Exponential backoff after a failed pass. */
const MIN_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 5 * 60_000;

export interface FailedPass {
  readonly reason: string;
  readonly cause: unknown;
  readonly retryInMs: number;
}

export interface PassLoopOptions {
  readonly store: Store;
  /** The name of the passes in the store. */
  readonly name: string;
  /** Time from the end of a pass to the begin of the next; 0 for passes on request only. */
  readonly intervalMs: number;
  /** Whether each start of a server is followed by a pass. */
  readonly atStart: boolean;
  /** Runs a pass, or continues one, as the holder of its lease, until the signal is aborted. */
  run(holder: string, signal: AbortSignal): Promise<void>;
  failed(pass: FailedPass): void;
}

/** Runs passes in the background, in one process at a time: at an interval, and on request. */
export class PassLoop {
  readonly #options: PassLoopOptions;
  readonly #holder = randomUUID();
  readonly #stopping = new AbortController();
  #sleeping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: PassLoopOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Polls immediately instead of at the next interval. */
  wake(): void {
    this.#sleeping.abort();
  }

  /** Stops after the current batch; the next pass continues from its checkpoint. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { store, name, failed } = this.#options;
    const { signal } = this.#stopping;
    const started = Date.now();
    let backoff = MIN_BACKOFF_MS;
    while (!signal.aborted) {
      try {
        const isIdle = await this.#runIfDue(started);
        backoff = MIN_BACKOFF_MS;
        if (isIdle) await this.#sleep(POLL_INTERVAL_MS);
      } catch (thrown) {
        if (signal.aborted) break;
        const { message: reason, cause } = WharfError.from(thrown);
        const retryInMs = Math.round(backoff * (0.75 + Math.random() / 2));
        failed({ reason, cause, retryInMs });
        backoff = Math.min(backoff * 2, MAX_BACKOFF_MS);
        await store.write((tx) => recordPassProblem(tx, name, reason)).catch(() => {});
        await this.#sleep(retryInMs);
      }
    }
  }

  /** Sleeps until woken; returns at once if `wake` was called since the last sleep. */
  async #sleep(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#sleeping.signal }).catch(() => {});
    if (this.#sleeping.signal.aborted) this.#sleeping = new AbortController();
  }

  /** Runs a pass if one is due and no other replica has the lease. Returns whether there was none. */
  async #runIfDue(started: number): Promise<boolean> {
    const { store, name, run } = this.#options;
    if (!(await this.#isDue(started)) || !(await this.#acquireLease())) return true;
    const lost = new AbortController();
    const renewal = setInterval(() => {
      this.#acquireLease().then(
        (acquired) => acquired || lost.abort(),
        () => lost.abort(),
      );
    }, LEASE_MS / 3);
    try {
      await run(this.#holder, AbortSignal.any([this.#stopping.signal, lost.signal]));
    } catch (thrown) {
      // Another replica continues the pass: this is no failure.
      const hasLostLease = thrown instanceof WharfError && thrown.code === "ABORTED";
      if (!lost.signal.aborted && !hasLostLease) throw thrown;
      return true;
    } finally {
      clearInterval(renewal);
      await store.write((tx) => releaseLease(tx, name, this.#holder)).catch(() => {});
    }
    return false;
  }

  async #isDue(started: number): Promise<boolean> {
    const { store, name, intervalMs, atStart } = this.#options;
    const { began, finished, requested } = await readPass(store.reader, name);
    if (requested > 0) return true;
    if (intervalMs === 0) return false;
    // A pass that finished in the future, by a clock that was set back since, is not recent.
    const isRecent = Math.abs(Date.now() - finished) < intervalMs;
    return began > 0 || !isRecent || (atStart && finished < started);
  }

  /** Acquires the lease or renews it. */
  #acquireLease(): Promise<boolean> {
    const { store, name } = this.#options;
    return store.write((tx) => takeLease(tx, name, this.#holder, LEASE_MS));
  }
}

/** Ends a pass whose progress was not written, because another replica has its lease. */
export async function mustHoldLease(written: Promise<boolean>): Promise<void> {
  if (!(await written)) throw new WharfError("ABORTED", "another replica has taken over the pass");
}
