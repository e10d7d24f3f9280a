import type { Transaction } from "../../../db/commit/transaction.ts";
import type { Reader } from "../../../db/connection.ts";

/** The state of the imports of a vulnerability source, beside the resource itself. Times are milliseconds since 1970. */
export interface SourceState {
  /** The next attempt. */
  readonly due: number;
  /** The end of the last attempt; 0 before the first. */
  readonly attempted: number;
  readonly succeeded: number;
  /** The time of the data, as the source states it; 0 if it does not. */
  readonly dataTime: number;
  /** When every attempt began to fail; 0 if the last one succeeded. */
  readonly failingSince: number;
  readonly failures: number;
  /** Whether an event has reported the failures since then. */
  readonly alerted: boolean;
  readonly errorCode: string;
  readonly error: string;
  /** The counts of the last complete import, as JSON. */
  readonly result: string;
}

/** A paused source is never due. */
export const NEVER_DUE = Number.MAX_SAFE_INTEGER;

const COLUMNS = `due, attempted, succeeded, data_time AS "dataTime", failing_since AS "failingSince", failures, alerted,
  error_code AS "errorCode", error, result`;

type Row = Omit<SourceState, "alerted"> & { readonly alerted: number };

export async function addSourceState(tx: Transaction, uid: string, due: number): Promise<void> {
  await tx.run(
    `INSERT INTO vulnerability_source_states (uid, due, attempted, succeeded, data_time, failing_since, failures,
       alerted, error_code, error, result, position) VALUES (?, ?, 0, 0, 0, 0, 0, 0, '', '', '', '')`,
    uid,
    due,
  );
}

export async function deleteSourceState(tx: Transaction, uid: string): Promise<void> {
  await tx.run("DELETE FROM vulnerability_source_states WHERE uid = ?", uid);
}

/** The states of several sources, by uid. */
export async function sourceStates(
  reader: Reader,
  uids: readonly string[],
): Promise<Map<string, SourceState>> {
  const rows = await reader.all<Row & { readonly uid: string }>(
    `SELECT uid, ${COLUMNS} FROM vulnerability_source_states WHERE uid IN (${reader.dialect.texts})`,
    JSON.stringify(uids),
  );
  return new Map(rows.map(({ uid, ...row }) => [uid, { ...row, alerted: row.alerted === 1 }]));
}

/** Sources that are due, the earliest first. */
export async function dueSources(reader: Reader, now: number, limit: number): Promise<string[]> {
  const sql =
    "SELECT uid FROM vulnerability_source_states WHERE due <= ? ORDER BY due, uid LIMIT ?";
  return (await reader.all<{ uid: string }>(sql, now, limit)).map(({ uid }) => uid);
}

/** When the source that is furthest behind last succeeded; undefined without sources that are due at times. */
export async function oldestSuccess(reader: Reader): Promise<number | undefined> {
  const sql = `SELECT min(succeeded) AS oldest FROM vulnerability_source_states WHERE due < ${NEVER_DUE}`;
  return (await reader.get<{ oldest: number | null }>(sql))?.oldest ?? undefined;
}

/** Sets the next attempt. */
export async function setSourceDue(tx: Transaction, uid: string, due: number): Promise<void> {
  await tx.run("UPDATE vulnerability_source_states SET due = ? WHERE uid = ?", due, uid);
}

/** Records the end of an attempt, unless the source was deleted, or requested again since `state` was read. */
export async function writeSourceState(
  tx: Transaction,
  uid: string,
  state: SourceState,
  dueBefore: number,
): Promise<void> {
  await tx.run(
    `UPDATE vulnerability_source_states SET due = CASE WHEN due = ? THEN ? ELSE due END, attempted = ?, succeeded = ?,
       data_time = ?, failing_since = ?, failures = ?, alerted = ?, error_code = ?, error = ?, result = ? WHERE uid = ?`,
    dueBefore,
    ...[state.due, state.attempted, state.succeeded, state.dataTime, state.failingSince],
    ...[state.failures, Number(state.alerted), state.errorCode, state.error, state.result],
    uid,
  );
}

/** The progress of the import of a source, as JSON of its kind; empty at its beginning. */
export async function sourcePosition(reader: Reader, uid: string): Promise<string> {
  const sql = "SELECT position FROM vulnerability_source_states WHERE uid = ?";
  return (await reader.get<{ position: string }>(sql, uid))?.position ?? "";
}

export async function setSourcePosition(
  tx: Transaction,
  uid: string,
  position: string,
): Promise<void> {
  const sql = "UPDATE vulnerability_source_states SET position = ? WHERE uid = ?";
  await tx.run(sql, position, uid);
}
