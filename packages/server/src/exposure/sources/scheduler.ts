import { setTimeout as sleep } from "node:timers/promises";
import { rootOf } from "@wharf/contract";
import { Leases } from "../../delivery/leases.ts";
import type { DeliveryTimes } from "../../delivery/times.ts";
import { dueSources, oldestSuccess } from "../../store/tables/exposure/sources/source-states.ts";
import { type AttemptDeps, attempt } from "./attempt.ts";

/** Imports of this process at a time; one of each organization, so that none delays the others. */
const CONCURRENCY = 4;

/** Sources that are considered at a time. */
const BATCH_SIZE = 200;

/** Imports sources when they are due. Each is imported by one process at a time. */
export class SourceScheduler {
  readonly #deps: AttemptDeps;
  readonly #leases: Leases;
  readonly #pollMs: number;
  readonly #stopping = new AbortController();
  /** By source. */
  readonly #running = new Map<string, Promise<void>>();
  #loop: Promise<void> | undefined;
  #oldest: number | undefined;

  constructor(deps: Omit<AttemptDeps, "leases">, times: DeliveryTimes) {
    this.#leases = new Leases(deps.store, times);
    this.#deps = { ...deps, leases: this.#leases };
    this.#pollMs = times.idlePollMs;
    const help = "Age of the last success of the vulnerability source that is furthest behind.";
    deps.metrics.watchGauge("wharf_vulnerability_source_age_seconds", help, () =>
      this.#oldest === undefined ? undefined : (Date.now() - this.#oldest) / 1_000,
    );
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
    await Promise.all(this.#running.values());
    await this.#leases.close();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#begin().catch((error) => {
        // The store's health reports failures of the store.
        this.#deps.log.error({ err: error }, "sources: due imports not read");
      });
      await sleep(this.#pollMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** Begins imports that are due, while there are fewer than the limit. */
  async #begin(): Promise<void> {
    const { reader } = this.#deps.store;
    this.#oldest = await oldestSuccess(reader);
    for (const uid of await dueSources(reader, Date.now(), BATCH_SIZE)) {
      if (this.#stopping.signal.aborted || this.#running.size >= CONCURRENCY) return;
      const isBusy = [...this.#running.keys()].some((other) => rootOf(other) === rootOf(uid));
      if (isBusy || !(await this.#leases.acquire(leaseOf(uid)))) continue;
      const done = this.#attempt(uid).finally(() => this.#running.delete(uid));
      this.#running.set(uid, done);
    }
  }

  async #attempt(uid: string): Promise<void> {
    try {
      await attempt(this.#deps, uid, leaseOf(uid), this.#stopping.signal);
    } catch (error) {
      this.#deps.log.error({ err: error, source: uid }, "sources: result of an import not stored");
    }
    await this.#leases.release(leaseOf(uid)).catch(() => {});
  }
}

/** The lease of the process that imports a source. */
function leaseOf(uid: string): string {
  return `vulnerability source ${uid}`;
}
