import { setTimeout as sleep } from "node:timers/promises";
import { ConfigError } from "../../config/settings.ts";
import type { Reader } from "../db/connection.ts";
import type { MigrationSession } from "./migration-session.ts";

/**
 * The lock of a whole migration, held by its connection. It is polled: a statement that waits for a lock
 * keeps a snapshot, and CREATE INDEX CONCURRENTLY waits until that ends.
 */
const MIGRATION_LOCK = 7_240_902;

/**
 * Acquires the lock of migrations, which only PostgreSQL needs. Returns false, without the lock, when
 * another replica has done the work meanwhile.
 */
export async function acquireMigrationLock(
  migration: MigrationSession,
  isDone: () => Promise<boolean>,
): Promise<boolean> {
  const { session, limits, log } = migration;
  if (session.dialect.name === "sqlite") return true;
  const began = performance.now();
  let reported = Number.NEGATIVE_INFINITY;
  for (;;) {
    const sql = "SELECT pg_try_advisory_lock(?) AS acquired";
    if ((await session.get<{ acquired: boolean }>(sql, MIGRATION_LOCK))?.acquired) return true;
    const waited = performance.now() - began;
    if (waited >= limits.maxWaitMs) throw await stillMigrating(session, waited);
    if (waited - reported >= limits.progressMs) {
      reported = waited;
      const holder = await holderOf(session);
      log.info(
        { ...holder, waitedMs: Math.round(waited) },
        "upgrade of the store: waiting for another replica that upgrades it",
      );
    }
    await sleep(limits.retryMs);
    if (await isDone()) return false;
  }
}

interface Holder {
  readonly address: string;
  readonly statement: string;
}

/** Where the other replica runs and what it does now. */
function holderOf(reader: Reader): Promise<Holder | undefined> {
  const sql = `SELECT coalesce(host(a.client_addr), 'local') AS address, left(a.query, 200) AS statement
    FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'advisory' AND l.granted AND l.classid = 0 AND l.objid = ?
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  return reader.get<Holder & object>(sql, MIGRATION_LOCK);
}

async function stillMigrating(reader: Reader, waitedMs: number): Promise<ConfigError> {
  const holder = await holderOf(reader);
  const seconds = Math.round(waitedMs / 1000);
  return new ConfigError(
    `another replica (${holder?.address}) still upgrades the store after ${seconds} seconds: wait for it, then start again`,
  );
}
