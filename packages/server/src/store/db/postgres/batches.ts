import { REPLICA_LOCK } from "../advisory-locks.ts";
import type { MutexMode } from "../commit/replica-mutex.ts";

/** A batch that waits longer for a lock runs again, alone: less than PostgreSQL waits before it looks for a deadlock. */
const LOCK_TIMEOUT_MS = 50;

/**
 * Identifies the batches of one connection. Each batch writes its number to the row of its connection, in
 * the same transaction: after a broken connection, the row tells whether the batch was committed.
 *
 * The id of the transaction would not do (`pg_xact_status`): after a crash, or a failover to a standby that
 * lags behind, PostgreSQL assigns the same id again, and would report the outcome of another transaction.
 * A row is present exactly where the other writes of its transaction are.
 */
export interface Marker {
  /** Made of letters, digits and hyphens. */
  readonly connection: string;
  readonly batch: number;
}

/** Begins a batch with one round trip. */
export function beginBatch(mode: MutexMode, marker: Marker, lenient: boolean): string {
  const { connection, batch } = marker;
  const lock =
    mode === "exclusive"
      ? `SELECT pg_advisory_xact_lock(${REPLICA_LOCK})`
      : `SELECT pg_advisory_xact_lock_shared(${REPLICA_LOCK}); SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`;
  return [
    "BEGIN",
    lock,
    ...(lenient ? ["SET LOCAL synchronous_commit = off"] : []),
    ...(batch === 1 ? [DELETE_OLD_MARKERS] : []),
    `INSERT INTO commit_markers (connection, batch, time) VALUES ('${connection}', ${batch}, now())
     ON CONFLICT (connection) DO UPDATE SET batch = excluded.batch, time = excluded.time`,
  ].join("; ");
}

/** Deletes the markers of closed connections. No commit is in doubt for that long. */
const DELETE_OLD_MARKERS = `DELETE FROM commit_markers WHERE connection IN (SELECT connection
  FROM commit_markers WHERE time < now() - interval '1 day' FOR UPDATE SKIP LOCKED)`;

/**
 * Returns the number of the last committed batch of a connection; the statement waits for a transaction
 * that is still open.
 */
export const LAST_BATCH = `INSERT INTO commit_markers (connection, batch, time) VALUES ($1, 0, now())
  ON CONFLICT (connection) DO UPDATE SET time = excluded.time RETURNING batch`;
