import { setTimeout as sleep } from "node:timers/promises";
import { Leases } from "../../delivery/leases.ts";
import type { Logger } from "../../observe/logger.ts";
import type { Store } from "../../store/db/store.ts";
import { writeContentDay } from "../../store/tables/registry/content-history.ts";

export const DAY_MS = 24 * 3_600_000;

/** The row of a day is written this often: the last one of the day stays. */
const INTERVAL_MS = 3_600_000;

const LEASE = "registry-usage";
const LEASE_TIMES = { leaseMs: 60_000 };

/** Groups in one transaction. */
const BATCH_SIZE = 500;

/** Writes what groups use to their history, once an hour and in one process at a time. */
export class UsageHistory {
  readonly #store: Store;
  readonly #log: Logger;
  readonly #leases: Leases;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(store: Store, log: Logger) {
    this.#store = store;
    this.#log = log;
    this.#leases = new Leases(store, LEASE_TIMES);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#leases.close();
  }

  /** Writes the rows of a day, unless another process does. */
  async pass(now = Date.now()): Promise<void> {
    if (!(await this.#leases.acquire(LEASE))) return;
    try {
      const day = now - (now % DAY_MS);
      for (let last: string | undefined = ""; last !== undefined; ) {
        const after: string = last;
        last = await this.#store.write((tx) => writeContentDay(tx, day, after, BATCH_SIZE));
      }
    } finally {
      await this.#leases.release(LEASE);
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.pass();
      } catch (error) {
        if (!signal.aborted) this.#log.error({ err: error }, "usage of groups not recorded");
      }
      await sleep(INTERVAL_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }
}
