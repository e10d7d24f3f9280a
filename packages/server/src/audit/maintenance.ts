import { setTimeout as sleep } from "node:timers/promises";
import type { Settings } from "../config/settings.ts";
import { WharfError } from "../lib/errors.ts";
import type { Logger } from "../observe/logger.ts";
import type { Metrics } from "../observe/metrics.ts";
import { type CheckpointDeps, Checkpoints } from "./checkpoints.ts";
import { deleteExpiredEntries } from "./retention.ts";

const DAY_MS = 24 * 3_600_000;

/** The interval between passes, plus up to half of it as jitter: replicas do not run together. */
const PASS_MS = 3_000;

/** The pause after each group of expired entries. */
const PAUSE_MS = 20;

export interface MaintenanceDeps extends CheckpointDeps {
  readonly settings: Pick<Settings, "auditRetentionDays">;
  readonly metrics: Pick<Metrics, "count">;
  readonly log: Pick<Logger, "error">;
}

/** Signs checkpoints and deletes expired entries, in the background. Every replica does. */
export class AuditMaintenance {
  readonly #deps: MaintenanceDeps;
  readonly #checkpoints: Checkpoints;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(deps: MaintenanceDeps) {
    this.#deps = deps;
    this.#checkpoints = new Checkpoints(deps);
  }

  start(): void {
    this.#running ??= this.#run().catch(() => {});
  }

  /** Resolves after the current transaction. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await sleep(PASS_MS * (1 + Math.random() / 2), undefined, { signal, ref: false });
      try {
        await this.pass(Date.now());
      } catch (error) {
        if (signal.aborted) return;
        // The store's health reports a store that cannot be written.
        if (error instanceof WharfError && error.code === "UNAVAILABLE") continue;
        this.#deps.log.error({ err: error }, "maintenance of the audit log failed");
      }
    }
  }

  async pass(now: number): Promise<void> {
    await this.#checkpoints.cover(now);
    const { auditRetentionDays } = this.#deps.settings;
    if (auditRetentionDays > 0) await this.#expire(now - auditRetentionDays * DAY_MS);
  }

  async #expire(until: number): Promise<void> {
    const { store, metrics } = this.#deps;
    while (!this.#stopping.signal.aborted) {
      const deleted = await deleteExpiredEntries(store, this.#checkpoints, until);
      if (deleted === undefined) return;
      const { entries, checkpoints } = deleted;
      metrics.count("wharf_expired_rows_total", { table: "audit" }, entries);
      metrics.count("wharf_expired_rows_total", { table: "audit_checkpoints" }, checkpoints);
      await this.#pause();
    }
  }

  async #pause(): Promise<void> {
    const { signal } = this.#stopping;
    await sleep(PAUSE_MS, undefined, { signal, ref: false });
  }
}
