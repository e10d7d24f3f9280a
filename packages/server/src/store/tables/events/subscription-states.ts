import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";
import { isFreeLease } from "../leases.ts";
import { LOG_START, type LogPosition } from "./event-log.ts";

/** What delivery knows of a subscription, beside the resource itself. */
export interface SubscriptionHealthRow {
  /** When every attempt began to fail; 0 if the last one succeeded. */
  readonly failingSince: number;
  readonly lastSuccess: number;
  readonly lastFailure: number;
  /** The sink is left alone until then. */
  readonly pausedUntil: number;
}

/** No delivery is due. */
export const NEVER_DUE = Number.MAX_SAFE_INTEGER;

export async function addSubscriptionState(
  tx: Transaction,
  uid: string,
  start: LogPosition,
): Promise<void> {
  await tx.run(
    `INSERT INTO subscription_states
       (uid, start_tx, start_id, due, arrivals, failing_since, last_success, last_failure,
       paused_until)
     VALUES (?, ?, ?, ?, 0, 0, 0, 0, 0)`,
    uid,
    start.tx,
    start.id,
    NEVER_DUE,
  );
}

export async function deleteSubscriptionState(tx: Transaction, uid: string): Promise<void> {
  await tx.run("DELETE FROM subscription_states WHERE uid = ?", uid);
}

/** The position after which the first subscription gets events; undefined without subscriptions. */
export function firstStart(reader: Reader): Promise<LogPosition | undefined> {
  return reader.get<LogPosition>(
    `SELECT start_tx AS tx, start_id AS id FROM subscription_states
     ORDER BY start_tx, start_id LIMIT 1`,
  );
}

/** The position after which a subscription gets events. */
export async function startOf(reader: Reader, uid: string): Promise<LogPosition> {
  const sql = "SELECT start_tx AS tx, start_id AS id FROM subscription_states WHERE uid = ?";
  return (await reader.get<LogPosition>(sql, uid)) ?? LOG_START;
}

/** The lease of the process that sends to a subscription. */
export function leaseOf(uid: string): string {
  return `subscription ${uid}`;
}

/** Subscriptions with deliveries that are due and that no process sends, the longest waiting first. */
export async function dueSubscriptions(
  reader: Reader,
  now: number,
  leaseMs: number,
  limit: number,
): Promise<string[]> {
  const isFree = isFreeLease(reader.dialect, "leases.expires", leaseMs);
  const sql = `SELECT uid FROM subscription_states
    LEFT JOIN leases ON leases.name = 'subscription ' || uid
    WHERE due <= ? AND (leases.expires IS NULL OR ${isFree}) ORDER BY due LIMIT ?`;
  return (await reader.all<{ uid: string }>(sql, now, limit)).map(({ uid }) => uid);
}

/** Wakes subscriptions: something was added that is due now. */
export async function markDue(
  tx: Transaction,
  uids: readonly string[],
  now: number,
): Promise<void> {
  await tx.run(
    `UPDATE subscription_states SET arrivals = arrivals + 1,
       due = CASE WHEN due < ? THEN due ELSE ? END
     WHERE uid IN (${tx.dialect.texts})`,
    now,
    now,
    JSON.stringify(uids),
  );
}

/** A number that grows with everything that is added. */
export async function arrivalsOf(reader: Reader, uid: string): Promise<number> {
  const sql = "SELECT arrivals FROM subscription_states WHERE uid = ?";
  return (await reader.get<{ arrivals: number }>(sql, uid))?.arrivals ?? 0;
}

/** Lets a subscription rest until a time, unless something has been added since its arrivals were read. */
export async function restUntil(
  tx: Transaction,
  uid: string,
  arrivals: number,
  due: number,
): Promise<void> {
  const sql = "UPDATE subscription_states SET due = ? WHERE uid = ? AND arrivals = ?";
  await tx.run(sql, due, uid, arrivals);
}

const HEALTH = `failing_since AS "failingSince", last_success AS "lastSuccess",
  last_failure AS "lastFailure", paused_until AS "pausedUntil"`;

export async function readHealth(
  reader: Reader,
  uid: string,
): Promise<SubscriptionHealthRow | undefined> {
  return reader.get(`SELECT ${HEALTH} FROM subscription_states WHERE uid = ?`, uid);
}

/** The health of several subscriptions, by uid. */
export async function readHealths(
  reader: Reader,
  uids: readonly string[],
): Promise<Map<string, SubscriptionHealthRow>> {
  const rows = await reader.all<SubscriptionHealthRow & { readonly uid: string }>(
    `SELECT uid, ${HEALTH} FROM subscription_states WHERE uid IN (${reader.dialect.texts})`,
    JSON.stringify(uids),
  );
  return new Map(rows.map((row) => [row.uid, row]));
}

export async function writeHealth(
  tx: Transaction,
  uid: string,
  { failingSince, lastSuccess, lastFailure, pausedUntil }: SubscriptionHealthRow,
): Promise<void> {
  await tx.run(
    `UPDATE subscription_states SET failing_since = ?, last_success = ?, last_failure = ?,
       paused_until = ?
     WHERE uid = ?`,
    failingSince,
    lastSuccess,
    lastFailure,
    pausedUntil,
    uid,
  );
}
