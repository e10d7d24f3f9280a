import { setTimeout as sleep } from "node:timers/promises";
import type { Settings } from "../config/settings.ts";
import { WharfError } from "../lib/errors.ts";
import type { Logger } from "../observe/logger.ts";
import type { Metrics } from "../observe/metrics.ts";
import { deleteExpired, EXPIRY_BATCH_SIZE, type Expiry } from "../store/db/expiry.ts";
import type { Store } from "../store/db/store.ts";

const DAY_MS = 24 * 3_600_000;

/** Registries do not repeat a notification after a day, so processed ones need no longer be known. */
const NOTIFICATION_DAYS = 1;

/** How often expired rows are looked for: between once and one and a half times this. */
const PASS_MS = 60_000;

/** The first pass is soon after the start, but not in it. */
const FIRST_PASS_MS = 2_000;

/** After a batch, callers get at least as much time as it took, and never less than this. */
const MIN_PAUSE_MS = 5;

/** How long rows are kept; 0 for ever. */
export type RetentionSettings = Pick<Settings, "auditRetentionDays" | "eventRetentionDays">;

/**
 * Everything that is deleted because its time is over.
 *
 * @example for (const expiry of expiriesAt(settings, Date.now())) await deleteExpired(store, expiry);
 */
export function expiriesAt(settings: RetentionSettings, now: number): Expiry[] {
  const kept = (table: string, days: number): Expiry[] =>
    days === 0 ? [] : [{ table, column: "time", until: now - days * DAY_MS }];
  return [
    { table: "tickets", column: "expires", until: now },
    { table: "sessions", column: "expires", until: now },
    ...kept("registry_notices", NOTIFICATION_DAYS),
    ...kept("manifest_deletions", NOTIFICATION_DAYS),
    ...kept("path_deletions", NOTIFICATION_DAYS),
    ...kept("events", settings.eventRetentionDays),
    ...kept("audit", settings.auditRetentionDays),
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

  /** @example retention.start(); */
  start(): void {
    this.#running ??= this.#run().catch(() => {});
  }

  /** Ends after the batch under way. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    await sleep(FIRST_PASS_MS * (1 + Math.random()), undefined, { signal, ref: false });
    while (!signal.aborted) {
      await this.#pass();
      // Replicas that started together do not stay together.
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
        // A store that cannot be written is reported once, by itself.
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
