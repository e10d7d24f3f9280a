import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";
import { deleteSealedOf } from "../secrets.ts";

/** The state of requests to upstreams and of their synchronization, beside the resource. Times are milliseconds since 1970. */
export interface UpstreamState {
  /** When it last answered; 0 for never. */
  readonly succeeded: number;
  /** When a request last failed; 0 for never. */
  readonly failed: number;
  readonly error: string;
  /** The requests that its rate limit leaves; -1 if it has not said so. */
  readonly rate: number;
  /** The next synchronization. */
  readonly due: number;
  /** When the running synchronization began; 0 if none is. */
  readonly running: number;
  /** When a synchronization last ended; 0 before the first. */
  readonly synced: number;
  /** Failed synchronizations since the last one that succeeded. */
  readonly failures: number;
  /** The counts of the last synchronization, as JSON. */
  readonly result: string;
}

/** Without a synchronization that is planned. */
export const NEVER_DUE = Number.MAX_SAFE_INTEGER;

const COLUMNS = "succeeded, failed, error, rate, due, running, synced, failures, result";

export async function addUpstreamState(tx: Transaction, uid: string, due: number): Promise<void> {
  await tx.run(
    `INSERT INTO upstream_states (uid, ${COLUMNS}) VALUES (?, 0, 0, '', -1, ?, 0, 0, 0, '')`,
    uid,
    due,
  );
}

export async function deleteUpstreamState(tx: Transaction, uid: string): Promise<void> {
  await tx.run("DELETE FROM upstream_states WHERE uid = ?", uid);
}

/** Deletes what is stored of the upstream of a deleted repo beside the resource: its state and its sealed password. */
export async function forgetUpstream(tx: Transaction, uid: string): Promise<void> {
  await deleteUpstreamState(tx, uid);
  await deleteSealedOf(tx, uid);
}

/** The states of several upstreams, by uid. */
export async function upstreamStates(
  reader: Reader,
  uids: readonly string[],
): Promise<Map<string, UpstreamState>> {
  const sql = `SELECT uid, ${COLUMNS} FROM upstream_states WHERE uid IN (${reader.dialect.texts})`;
  const rows = await reader.all<UpstreamState & { readonly uid: string }>(
    sql,
    JSON.stringify(uids),
  );
  return new Map(rows.map(({ uid, ...row }) => [uid, { ...row, due: Number(row.due) }]));
}

/** Upstreams whose synchronization is due, the earliest first. */
export async function dueUpstreams(reader: Reader, now: number, limit: number): Promise<string[]> {
  const sql = "SELECT uid FROM upstream_states WHERE due <= ? ORDER BY due, uid LIMIT ?";
  return (await reader.all<{ uid: string }>(sql, now, limit)).map(({ uid }) => uid);
}

/** Plans the next synchronization. */
export async function setUpstreamDue(tx: Transaction, uid: string, due: number): Promise<void> {
  await tx.run("UPDATE upstream_states SET due = ? WHERE uid = ?", due, uid);
}

/** Records the outcome of a request. */
export async function recordRequest(
  tx: Transaction,
  uid: string,
  { time, error, rate }: { readonly time: number; readonly error: string; readonly rate: number },
): Promise<void> {
  const outcome = error === "" ? "succeeded = ?" : "failed = ?, error = ?";
  const values = error === "" ? [time] : [time, error];
  await tx.run(
    `UPDATE upstream_states SET ${outcome}, rate = ? WHERE uid = ?`,
    ...values,
    rate,
    uid,
  );
}

/** Records the begin of a synchronization. */
export async function recordSyncStart(tx: Transaction, uid: string, time: number): Promise<void> {
  await tx.run("UPDATE upstream_states SET running = ? WHERE uid = ?", time, uid);
}

/** Records the end of a synchronization; one that was requested since `before` stays due. */
export async function recordSyncEnd(
  tx: Transaction,
  uid: string,
  end: Pick<UpstreamState, "due" | "synced" | "failures" | "result"> & { readonly before: number },
): Promise<void> {
  await tx.run(
    `UPDATE upstream_states SET due = CASE WHEN due = ? THEN ? ELSE due END, running = 0, synced = ?, failures = ?,
       result = ? WHERE uid = ?`,
    ...[end.before, end.due, end.synced, end.failures, end.result],
    uid,
  );
}
