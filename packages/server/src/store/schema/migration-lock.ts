import { setTimeout as sleep } from "node:timers/promises";
import { ConfigError } from "../../config/settings.ts";
import { MIGRATION_LOCK } from "../db/advisory-locks.ts";
import type { Driver, Reader, Session } from "../db/connection.ts";
import type { MigrationSession } from "./migration-session.ts";

/** Poolers do not keep a session for a client, but a transaction: the lock belongs to an idle one. */
const BEGIN = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0";

/**
 * Does work under the lock of migrations, unless another replica has done it meanwhile. Only PostgreSQL
 * needs the lock: SQLite has one writer at a time.
 */
export async function withMigrationLock(
  driver: Driver,
  migration: MigrationSession,
  isDone: () => Promise<boolean>,
  work: () => Promise<void>,
): Promise<void> {
  if (driver.dialect.name === "sqlite") return work();
  const holder = await driver.openSession();
  try {
    if (await acquire(holder, migration, isDone)) await work();
  } finally {
    await holder.close();
  }
}

/**
 * Polls the lock, each time in a transaction of its own: CREATE INDEX CONCURRENTLY waits for the end of every transaction
 * that has a snapshot, so one that waits for the lock would wait for the index, and the index for it. Returns false,
 * without the lock, when there is nothing to do any more.
 */
async function acquire(
  holder: Session,
  { session, limits, log }: MigrationSession,
  isDone: () => Promise<boolean>,
): Promise<boolean> {
  const began = performance.now();
  let reported = Number.NEGATIVE_INFINITY;
  for (;;) {
    if (await tryLock(holder)) return true;
    const waited = performance.now() - began;
    if (waited >= limits.maxWaitMs) throw stillMigrating(await otherReplica(session), waited);
    if (waited - reported >= limits.progressMs) {
      reported = waited;
      log.info(
        { ...(await otherReplica(session)), waitedMs: Math.round(waited) },
        "upgrade of the store: waiting for another replica that upgrades it",
      );
    }
    await sleep(limits.retryMs);
    if (await isDone()) return false;
  }
}

/** Acquires the lock in a transaction that stays open, or ends it. */
async function tryLock(holder: Session): Promise<boolean> {
  await holder.script(BEGIN);
  const sql = "SELECT pg_try_advisory_xact_lock(?) AS acquired";
  const { acquired } = (await holder.get<{ acquired: boolean }>(sql, MIGRATION_LOCK)) ?? {};
  // In a transaction the result of a prepared statement keeps its snapshot until the next simple query.
  await holder.script(acquired ? "SELECT 1" : "ROLLBACK");
  return acquired ?? false;
}

interface OtherReplica {
  readonly address: string;
  readonly since: string;
  /** The index that it builds, if it builds one. */
  readonly index: string | null;
}

/** The replica that holds the lock. */
function otherReplica(reader: Reader): Promise<OtherReplica | undefined> {
  return reader.get<OtherReplica>(
    `SELECT coalesce(host(a.client_addr), 'local') AS address, a.xact_start::text AS since,
       (SELECT c.relname FROM pg_stat_progress_create_index p JOIN pg_class c ON c.oid = p.index_relid
        LIMIT 1) AS index
     FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
     WHERE l.locktype = 'advisory' AND l.granted AND l.classid = 0 AND l.objid = ?
       AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    MIGRATION_LOCK,
  );
}

function stillMigrating(other: OtherReplica | undefined, waitedMs: number): ConfigError {
  const seconds = Math.round(waitedMs / 1000);
  const where = other === undefined ? "" : ` (${other.address})`;
  return new ConfigError(
    `another replica${where} still upgrades the store after ${seconds} seconds: wait for it, then start again`,
  );
}
