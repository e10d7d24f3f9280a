import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Leases, type LeaseTimes } from "../../delivery/leases.ts";
import type { Store } from "../../store/db/store.ts";

/** The interval at which a process looks whether another one has fetched what it waits for. */
const POLL_MS = 100;

/** Runs the same work once at a time, over all processes: its result is stored, so that the others find it. */
export class Flights {
  readonly #leases: Leases;
  readonly #signal: AbortSignal;
  readonly #running = new Map<string, Promise<unknown>>();

  /** @param signal Aborted when this process stops. */
  constructor(store: Store, times: LeaseTimes, signal: AbortSignal) {
    this.#leases = new Leases(store, times);
    this.#signal = signal;
  }

  /** The result that is stored, or that of the work that runs, or else of the work. */
  run<T>(key: string, stored: () => Promise<T | undefined>, work: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key) as Promise<T> | undefined;
    if (running !== undefined) return running;
    const flight = this.#runAlone(key, stored, work).finally(() => this.#running.delete(key));
    this.#running.set(key, flight);
    return flight;
  }

  /** Waits for what runs. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#running.values());
    await this.#leases.close();
  }

  async #runAlone<T>(
    key: string,
    stored: () => Promise<T | undefined>,
    work: () => Promise<T>,
  ): Promise<T> {
    const lease = `upstream ${createHash("sha256").update(key).digest("hex")}`;
    while (!(await this.#leases.acquire(lease))) {
      const found = await stored();
      if (found !== undefined) return found;
      await sleep(POLL_MS, undefined, { signal: this.#signal });
    }
    try {
      return (await stored()) ?? (await work());
    } finally {
      // It expires anyway.
      await this.#leases.release(lease).catch(() => {});
    }
  }
}
