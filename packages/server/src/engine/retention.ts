import { setTimeout as sleep } from "node:timers/promises";
import type { Settings } from "../config/settings.ts";
import { WharfError } from "../lib/errors.ts";
import type { Logger } from "../observe/logger.ts";
import type { Metrics } from "../observe/metrics.ts";
import { deleteExpired, EXPIRY_BATCH_SIZE, type Expiry } from "../store/db/expiry.ts";
import type { Store } from "../store/db/store.ts";

const DAY_MS = 24 * 3_600_000;

/** Registries repeat a notification for a day at most: after that its id need not be stored. */
const NOTIFICATION_DAYS = 1;

/** The caller that deleted a group gets NOT_FOUND for it this long; clients read it again within minutes. */
const DELETED_GROUP_DAYS = 30;

/** The usage of groups by day (registry/usage). */
export const USAGE_HISTORY_DAYS = 400;

/** The interval between passes, plus up to half of it as jitter. */
const PASS_MS = 60_000;

/** Delays the first pass until startup is done. */
const FIRST_PASS_MS = 2_000;

/** The pause after a batch is as long as the batch took, and at least this. */
const MIN_PAUSE_MS = 5;

/** Retention of rows in days; 0 for no expiry. */
export type RetentionSettings = Pick<Settings, "eventRetentionDays">;

/** Everything that expires, and what is expired now. The audit log has a retention of its own (audit/retention.ts). */
export function expiriesAt(settings: RetentionSettings, now: number): Expiry[] {
  const retained = (table: string, days: number, keepsNewest = false): Expiry[] =>
    days === 0 ? [] : [{ table, column: "time", until: now - days * DAY_MS, keepsNewest }];
  return [
    { table: "tickets", column: "expires", until: now },
    { table: "sessions", column: "expires", until: now },
    { table: "idempotency_keys", column: "expires", until: now },
    // Of processes that were killed: others are renewed or released.
    { table: "leases", column: "expires", until: now - DAY_MS },
    { table: "path_aliases", column: "expires", until: now },
    { table: "content_history", column: "day", until: now - USAGE_HISTORY_DAYS * DAY_MS },
    ...retained("registry_notices", NOTIFICATION_DAYS),
    ...retained("manifest_deletions", NOTIFICATION_DAYS),
    ...retained("path_deletions", NOTIFICATION_DAYS),
    ...retained("deleted_groups", DELETED_GROUP_DAYS),
    ...retained("events", settings.eventRetentionDays, true),
    ...retained("deliveries", settings.eventRetentionDays, true),
  ];
}

export interface RetentionDeps {
  readonly store: Store;
  readonly settings: RetentionSettings;
  readonly metrics: Pick<Metrics, "count">;
  readonly log: Pick<Logger, "error">;
}

/**
 * Deletes expired rows in the background, in batches with pauses between them. Every replica does:
 * batches are small, skip rows that another replica deletes, and find nothing once one has.
 */
export class Retention {
  readonly #deps: RetentionDeps;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(deps: RetentionDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#running ??= this.#run().catch(() => {});
  }

  /** Resolves after the current batch. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    await sleep(FIRST_PASS_MS * (1 + Math.random()), undefined, { signal, ref: false });
    while (!signal.aborted) {
      await this.#pass();
      // Jitter: replicas that start together do not run together.
      await sleep(PASS_MS * (1 + Math.random() / 2), undefined, { signal, ref: false });
    }
  }

  async #pass(): Promise<void> {
    const { settings, log } = this.#deps;
    for (const expiry of expiriesAt(settings, Date.now())) {
      try {
        await this.#expire(expiry);
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        // The store's health reports a store that cannot be written.
        if (error instanceof WharfError && error.code === "UNAVAILABLE") return;
        log.error({ table: expiry.table, err: error }, "expired rows not deleted");
      }
    }
  }

  async #expire(expiry: Expiry): Promise<void> {
    const { store, metrics } = this.#deps;
    const { signal } = this.#stopping;
    for (let deleted = EXPIRY_BATCH_SIZE; deleted === EXPIRY_BATCH_SIZE && !signal.aborted; ) {
      const started = performance.now();
      deleted = await deleteExpired(store, expiry);
      if (deleted === 0) return;
      metrics.count("wharf_expired_rows_total", { table: expiry.table }, deleted);
      const pause = Math.max(MIN_PAUSE_MS, performance.now() - started);
      await sleep(pause, undefined, { signal, ref: false });
    }
  }
}
