import type { Transaction } from "../../db/commit/transaction.ts";
import type { Dialect, Reader } from "../../db/connection.ts";
import { isFreeLease } from "../leases.ts";
import { LOG_START, type LogPosition } from "./event-log.ts";

/** State of a subscription's delivery, beside the resource itself. */
export interface SubscriptionHealthRow {
  /** When every attempt began to fail; 0 if the last one succeeded. */
  readonly failingSince: number;
  readonly lastSuccess: number;
  readonly lastFailure: number;
  /** The remaining pause of the sink. */
  readonly pauseMs: number;
}

/** No delivery is due. */
const NEVER_DUE = Number.MAX_SAFE_INTEGER;

/**
 * After this time the deliveries of a subscription that rests are read again, however long they wait. One that rests
 * longer is due, because a clock was set back since: so that delays deliveries by no more than this.
 */
const MAX_REST_MS = 600_000;

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

/**
 * Subscriptions with deliveries that are due and that no process sends, in random order: so each has its turn while there
 * are more than the limit.
 */
export async function dueSubscriptions(
  reader: Reader,
  leaseMs: number,
  limit: number,
): Promise<string[]> {
  // As a subquery, the time is evaluated once and can be looked up in the index.
  const now = `(SELECT ${reader.dialect.now})`;
  const isFree = isFreeLease(reader.dialect, "leases.expires", leaseMs);
  const sql = `SELECT uid FROM subscription_states
    LEFT JOIN leases ON leases.name = 'subscription ' || uid
    WHERE (due <= ${now} OR (due > ${now} + ${MAX_REST_MS} AND due < ${NEVER_DUE}))
      AND (leases.expires IS NULL OR ${isFree})
    ORDER BY random() LIMIT ?`;
  return (await reader.all<{ uid: string }>(sql, limit)).map(({ uid }) => uid);
}

/** Wakes subscriptions: something was added that is due, by any clock. */
export async function markDue(tx: Transaction, uids: readonly string[]): Promise<void> {
  await tx.run(
    `UPDATE subscription_states SET arrivals = arrivals + 1, due = 0
     WHERE uid IN (${tx.dialect.texts})`,
    JSON.stringify(uids),
  );
}

/** A number that grows with everything that is added. */
export async function arrivalsOf(reader: Reader, uid: string): Promise<number> {
  const sql = "SELECT arrivals FROM subscription_states WHERE uid = ?";
  return (await reader.get<{ arrivals: number }>(sql, uid))?.arrivals ?? 0;
}

/**
 * Lets a subscription rest, unless something has been added since its arrivals were read: infinitely if nothing is
 * pending.
 */
export async function restFor(
  tx: Transaction,
  uid: string,
  arrivals: number,
  restMs: number,
): Promise<void> {
  const [due, ms] =
    restMs === Infinity
      ? ["?", NEVER_DUE]
      : [`${tx.dialect.now} + ?`, Math.min(restMs, MAX_REST_MS)];
  const sql = `UPDATE subscription_states SET due = ${due} WHERE uid = ? AND arrivals = ?`;
  await tx.run(sql, Math.ceil(ms), uid, arrivals);
}

/** A pause begins with a failure. One that began in the future is over: a clock was set back since. */
const healthOf = ({ now }: Dialect) => `failing_since AS "failingSince",
  last_success AS "lastSuccess", last_failure AS "lastFailure",
  CASE WHEN last_failure > ${now} THEN 0 ELSE paused_until - ${now} END AS "pauseMs"`;

export async function readHealth(
  reader: Reader,
  uid: string,
): Promise<SubscriptionHealthRow | undefined> {
  const sql = `SELECT ${healthOf(reader.dialect)} FROM subscription_states WHERE uid = ?`;
  return reader.get(sql, uid);
}

/** The health of several subscriptions, by uid. */
export async function readHealths(
  reader: Reader,
  uids: readonly string[],
): Promise<Map<string, SubscriptionHealthRow>> {
  const rows = await reader.all<SubscriptionHealthRow & { readonly uid: string }>(
    `SELECT uid, ${healthOf(reader.dialect)} FROM subscription_states
     WHERE uid IN (${reader.dialect.texts})`,
    JSON.stringify(uids),
  );
  return new Map(rows.map((row) => [row.uid, row]));
}

export async function writeHealth(
  tx: Transaction,
  uid: string,
  { failingSince, lastSuccess, lastFailure, pauseMs }: SubscriptionHealthRow,
): Promise<void> {
  const { now } = tx.dialect;
  const isPaused = pauseMs > 0;
  const pause = isPaused
    ? `last_failure = ${now}, paused_until = ${now} + ?`
    : "last_failure = ?, paused_until = 0";
  await tx.run(
    `UPDATE subscription_states SET failing_since = ?, last_success = ?, ${pause} WHERE uid = ?`,
    failingSince,
    lastSuccess,
    isPaused ? Math.ceil(pauseMs) : lastFailure,
    uid,
  );
}
