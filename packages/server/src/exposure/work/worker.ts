import { Leases, type LeaseTimes } from "../../delivery/leases.ts";
import { WharfError } from "../../lib/errors.ts";
import { WakeSignal } from "../../lib/scheduling/wake-signal.ts";
import type { Logger } from "../../observe/logger.ts";
import type { Metrics } from "../../observe/metrics.ts";
import type { Store } from "../../store/db/store.ts";
import {
  countWork,
  dueWork,
  nextWork,
  postponeWork,
  type Work,
  type WorkKind,
} from "../../store/tables/exposure/work/work.ts";
import { ConcurrentReads, type WorkReader, type WriteResult } from "./concurrent-reads.ts";

/** The lease of the only worker of an installation: one process at a time compares records, versions and findings. */
const LEASE = "exposure";

/** Items that are read at a time. */
const BATCH_SIZE = 100;

/** Looks for requests of other processes so often. */
const POLL_MS = 250;

/** Rounds without work after which another process may be the worker. */
const IDLE_ROUNDS = 40;

const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 10 * 60_000;

/**
 * Does one item of work, in transactions of its own. The last one removes the item (`finishWork`), so that a process that
 * is killed before leaves it to the next one.
 */
export type WorkHandler = (work: Work, signal: AbortSignal) => Promise<void>;

/** Thrown for work that cannot be done now, if that is in the log already. */
export class WorkPostponed extends WharfError {
  constructor(reason: string) {
    super("UNAVAILABLE", reason);
  }
}

/** The kinds of work that are read concurrently; of one manifest, one at a time. */
const READ_KINDS = ["image", "signatures"] as const;

/** Handlers by kind of work. Other kinds, which another version of this server may have requested, stay. */
export interface Handlers {
  /** Work `image` and `signatures` takes long, and is read beside other work. */
  readonly readImage: WorkReader;
  readonly handlers: Readonly<Partial<Record<WorkKind, WorkHandler>>>;
  /** Finishes what of a batch would change nothing, and returns the rest, which is done item by item. */
  readonly finishNeedless: (batch: readonly Work[]) => Promise<readonly Work[]>;
  readonly steps?: readonly WorkStep[];
}

/**
 * A bounded step of work that is not requested, because it follows what others write. It calls `mayWork` before it writes,
 * and does nothing if that is false: another process does it. Returns false if there was nothing to do.
 */
export type WorkStep = (mayWork: () => Promise<boolean>) => Promise<boolean>;

export interface WorkerDeps {
  readonly store: Store;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Does requested work in the order in which it is due. A failed item is tried again later, and does not stop others. */
export class ExposureWorker {
  readonly #deps: WorkerDeps;
  readonly #handlers: Handlers["handlers"];
  readonly #finishNeedless: Handlers["finishNeedless"];
  readonly #steps: readonly WorkStep[];
  readonly #reads: ConcurrentReads;
  readonly #wake = new WakeSignal();
  readonly #leases: Leases;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(deps: WorkerDeps, all: Handlers, times: LeaseTimes) {
    const { readImage, handlers, finishNeedless, steps = [] } = all;
    this.#deps = deps;
    this.#handlers = handlers;
    this.#finishNeedless = finishNeedless;
    const own = [() => this.#writeReads(), () => this.#doBatch(), () => this.#startReads()];
    // Steps come first: what they request is done in the same round.
    this.#steps = [...steps, ...own];
    this.#reads = new ConcurrentReads(readImage, this.#stopping.signal, () => this.#wake.wake());
    this.#leases = new Leases(deps.store, times);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake.wake();
    await this.#running;
    await this.#reads.settled();
    await this.#leases.close();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    for (let idle = 0; !signal.aborted; ) {
      const hasWorked = await this.#round();
      idle = hasWorked || this.#reads.keys.length > 0 ? 0 : idle + 1;
      // An idle server renews no lease: it writes nothing.
      if (idle === IDLE_ROUNDS) await this.#leases.release(LEASE).catch(() => {});
      if (!hasWorked) await this.#wake.wait(POLL_MS);
    }
  }

  async #round(): Promise<boolean> {
    let isBusy = false;
    for (const step of this.#steps) {
      try {
        if (await step(() => this.#leases.acquire(LEASE))) isBusy = true;
      } catch (error) {
        // The store's health reports failures of the store.
        this.#deps.log.error({ err: error }, "exposure: work not read");
      }
    }
    return isBusy;
  }

  /** Does a batch of what is due. Returns false if there was nothing to do, or another process does it. */
  async #doBatch(): Promise<boolean> {
    const { store } = this.#deps;
    const kinds = Object.keys(this.#handlers) as WorkKind[];
    const batch = await dueWork(store.reader, Date.now(), kinds, BATCH_SIZE);
    if (batch.length === 0 || !(await this.#leases.acquire(LEASE))) return false;
    for (const work of await this.#withoutNeedless(batch)) {
      if (this.#stopping.signal.aborted || !this.#leases.holds(LEASE)) return false;
      await this.#attempt(work, async () =>
        this.#handlers[work.kind]?.(work, this.#stopping.signal),
      );
    }
    return true;
  }

  /** Finishes what is needless. If that fails, each item is done by itself: a bad one must not stop the others. */
  async #withoutNeedless(batch: readonly Work[]): Promise<readonly Work[]> {
    const { log, metrics } = this.#deps;
    try {
      const rest = await this.#finishNeedless(batch);
      for (const { kind } of batch.filter((work) => !rest.includes(work))) {
        metrics.count("wharf_exposure_work_total", { kind, result: "done" });
      }
      return rest;
    } catch (error) {
      log.error({ err: error }, "exposure: needless work not finished");
      return batch;
    }
  }

  /** Starts what may be read beside what is read already. It wakes the loop when it has finished. */
  async #startReads(): Promise<boolean> {
    const { reader } = this.#deps.store;
    while (!this.#reads.isFull && !this.#stopping.signal.aborted) {
      const { keys, busyOwners: owners } = this.#reads;
      const work = await nextWork(reader, Date.now(), READ_KINDS, { keys, owners });
      if (work === undefined || !(await this.#leases.acquire(LEASE))) return false;
      this.#reads.start(work);
    }
    return false;
  }

  async #writeReads(): Promise<boolean> {
    const finished = this.#reads.take();
    for (const { work, write } of finished) {
      // Another process reads it again.
      if (this.#stopping.signal.aborted || !this.#leases.holds(LEASE)) return false;
      await this.#attempt(work, write);
    }
    return finished.length > 0;
  }

  async #attempt(work: Work, write: WriteResult): Promise<void> {
    const { store, log, metrics } = this.#deps;
    const { kind, key, attempts } = work;
    try {
      await write();
      metrics.count("wharf_exposure_work_total", { kind, result: "done" });
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      const isPostponed = error instanceof WorkPostponed;
      const result = isPostponed ? "postponed" : "failed";
      metrics.count("wharf_exposure_work_total", { kind, result });
      if (!isPostponed) {
        log.error({ err: error, kind, key, attempts }, "exposure: work failed, and is tried again");
      }
      const due = Date.now() + Math.min(FIRST_RETRY_MS * 2 ** attempts, LAST_RETRY_MS);
      await store.write((tx) => postponeWork(tx, work, due));
    }
  }

  /** The number of items that wait, and of those that are due. */
  counts(): ReturnType<typeof countWork> {
    return countWork(this.#deps.store.reader, Date.now());
  }
}
