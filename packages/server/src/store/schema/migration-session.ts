import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { ConfigError } from "../../config/settings.ts";
import { MIGRATION_TRANSACTION_LOCK } from "../db/advisory-locks.ts";
import type { Driver, Session } from "../db/connection.ts";

/** Log of the steps of a migration. */
export interface MigrationLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
}

export interface MigrationLimits {
  /** Wait of a statement for a lock. All others wait behind it, so it must give up soon. */
  readonly lockTimeoutMs: number;
  /** The pause before it tries again. */
  readonly retryMs: number;
  /** Total wait for locks, or for another replica that migrates. */
  readonly maxWaitMs: number;
  /** Rows in one transaction of a backfill. */
  readonly batchSize: number;
  /** The interval of log lines about work that takes long. */
  readonly progressMs: number;
}

export const MIGRATION_LIMITS: MigrationLimits = {
  lockTimeoutMs: 2_000,
  retryMs: 500,
  maxWaitMs: 15 * 60_000,
  batchSize: 500,
  progressMs: 10_000,
};

const SQLITE_BUSY = 5;

/** The connection of a migration, which gives way to the transactions of running replicas. */
export class MigrationSession {
  readonly session: Session;
  readonly log: MigrationLog;
  readonly limits: MigrationLimits;
  readonly #driver: Driver;

  constructor(driver: Driver, session: Session, log: MigrationLog, limits: MigrationLimits) {
    this.#driver = driver;
    this.session = session;
    this.log = log;
    this.limits = limits;
  }

  /** Runs work in a transaction, again if it cannot get a lock in time. */
  transaction<T>(what: string, work: () => Promise<T>): Promise<T> {
    return this.retry(what, async () => {
      const { session, limits } = this;
      try {
        await session.script(
          session.dialect.name === "postgres"
            ? `BEGIN; SET LOCAL lock_timeout = ${limits.lockTimeoutMs};
               SELECT pg_advisory_xact_lock(${MIGRATION_TRANSACTION_LOCK})`
            : "BEGIN IMMEDIATE",
        );
        const value = await work();
        await session.script("COMMIT");
        // SQLite answers at once: signals are handled between transactions.
        await setImmediate();
        return value;
      } catch (error) {
        await session.script("ROLLBACK").catch(() => {});
        throw error;
      }
    });
  }

  /** Tries until there is neither a lock in the way nor a deadlock, up to the limit. */
  async retry<T>(what: string, attempt: () => Promise<T>): Promise<T> {
    const { retryMs, maxWaitMs } = this.limits;
    const began = performance.now();
    let reported = Number.NEGATIVE_INFINITY;
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        if (!this.#isBlocked(error)) throw error;
        const waited = performance.now() - began;
        if (waited >= maxWaitMs) throw stillBlocked(what, waited, error);
        if (waited - reported >= this.limits.progressMs) {
          reported = waited;
          this.log.info(
            { waitedMs: Math.round(waited) },
            `upgrade of the store: ${what} waits for other transactions`,
          );
        }
        await sleep(retryMs);
      }
    }
  }

  #isBlocked(error: unknown): boolean {
    const { errcode = 0 } = error as { errcode?: number };
    return this.#driver.isTransient(error) || (errcode & 0xff) === SQLITE_BUSY;
  }
}

function stillBlocked(what: string, waitedMs: number, cause: unknown): ConfigError {
  const seconds = Math.round(waitedMs / 1000);
  return new ConfigError(
    `the store was not upgraded: ${what} waited ${seconds} seconds for other transactions; end those that stay open, then start again: the upgrade continues where it stopped`,
    { cause },
  );
}
