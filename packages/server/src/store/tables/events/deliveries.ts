import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";
import { readCounted } from "../../db/read/counted.ts";

/**
 * Deliveries of events to subscriptions, with the log of their attempts. The time of the next attempt is that of the
 * database, not of the processes, whose clocks differ.
 */

export const DELIVERY_STATES = { pending: 0, delivered: 1, failed: 2 } as const;

/** A request to a sink. */
export interface StoredAttempt {
  readonly time: number;
  /** The HTTP status; 0 without an answer. */
  readonly status: number;
  readonly latencyMs: number;
  /** Why there is no answer. */
  readonly error?: string;
  /** The beginning of the answer. */
  readonly response?: string;
  /** The pause that the sink asked for. */
  readonly retryAfterMs?: number;
}

export interface NewDelivery {
  readonly subscription: string;
  /** The row id of the event. */
  readonly event: number;
  readonly eventId: string;
  readonly type: string;
  readonly subject: string;
  readonly isReplay: boolean;
  readonly time: number;
}

export interface StoredDelivery {
  readonly id: number;
  readonly subscription: string;
  readonly event: number;
  readonly eventId: string;
  readonly type: string;
  readonly subject: string;
  readonly state: number;
  readonly replay: number;
  readonly time: number;
  readonly nextAt: number;
  /** A JSON array of attempts. */
  readonly attempts: string;
}

export interface PendingDelivery extends StoredDelivery {
  /** From now to the stored time of the next attempt. */
  readonly waitMs: number;
}

const COLUMNS = [
  ...["id", "subscription", "event", 'event_id AS "eventId"', "type", "subject", "state", "replay"],
  ...["time", 'next_at AS "nextAt"', "attempts"],
];

/** Adds deliveries that are due now, in order. */
export async function addDeliveries(
  tx: Transaction,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  const { tuples, asInteger } = tx.dialect;
  const rows = deliveries.map(({ isReplay, ...one }) => [
    one.subscription,
    one.event,
    one.eventId,
    one.type,
    one.subject,
    isReplay ? 1 : 0,
    one.time,
  ]);
  await tx.run(
    `INSERT INTO deliveries
       (subscription, event, event_id, type, subject, replay, time, next_at, state, attempts)
     SELECT subscription, ${asInteger("event")}, event_id, type, subject, ${asInteger("replay")},
       ${asInteger("time")}, ${asInteger("time")}, 0, '[]'
     FROM (${tuples("subscription", "event", "event_id", "type", "subject", "replay", "time")}) AS added`,
    JSON.stringify(rows),
  );
}

/** Pending deliveries of a subscription in order, after an id. */
export function pendingDeliveries(
  reader: Reader,
  subscription: string,
  after: number,
  limit: number,
): Promise<PendingDelivery[]> {
  const sql = `SELECT ${COLUMNS.join(", ")}, next_at - ${reader.dialect.now} AS "waitMs" FROM deliveries
    WHERE subscription = ? AND state = 0 AND id > ? ORDER BY id LIMIT ?`;
  return reader.all(sql, subscription, after, limit);
}

export interface DeliveryResult {
  readonly id: number;
  readonly state: number;
  /** The pause before the next attempt. */
  readonly retryMs: number;
  readonly attempts: string;
}

/** Stores the results of attempts. */
export async function writeResults(
  tx: Transaction,
  results: readonly DeliveryResult[],
): Promise<void> {
  const { tuples, asInteger, now } = tx.dialect;
  const rows = results.map(({ id, state, retryMs, attempts }) => [id, state, retryMs, attempts]);
  await tx.run(
    `UPDATE deliveries SET state = ${asInteger("done.state")},
       next_at = ${now} + ${asInteger("done.retry_ms")}, attempts = done.attempts
     FROM (${tuples("id", "state", "retry_ms", "attempts")}) AS done
     WHERE deliveries.id = ${asInteger("done.id")}`,
    JSON.stringify(rows),
  );
}

/** Ends the pending deliveries of a subscription that is disabled: they can be requested again. */
export async function failPending(tx: Transaction, subscription: string): Promise<void> {
  const sql = "UPDATE deliveries SET state = 2 WHERE subscription = ? AND state = 0";
  await tx.run(sql, subscription);
}

/** The number of deliveries that wait, by subscription; those without any are not in it. */
export async function countPending(
  reader: Reader,
  subscriptions: readonly string[],
): Promise<Map<string, number>> {
  const sql = `SELECT subscription, count(*) AS total FROM deliveries
    WHERE subscription IN (${reader.dialect.texts}) AND state = 0 GROUP BY subscription`;
  return new Map(
    await reader.arrays<readonly [string, number]>(sql, JSON.stringify(subscriptions)),
  );
}

export interface DeliveryQuery {
  readonly subscription: string;
  readonly state?: number | undefined;
  readonly eventId?: string | undefined;
  /** Only deliveries older than this id. */
  readonly before?: number | undefined;
}

/** The deliveries of a subscription, newest first, and the number of all of them. */
export function listDeliveries(reader: Reader, query: DeliveryQuery, limit: number) {
  const page = conditions(query);
  const all = conditions({ ...query, before: undefined });
  return readCounted<StoredDelivery>(reader, {
    page: `SELECT ${COLUMNS.join(", ")} FROM deliveries WHERE ${page.where} ORDER BY id DESC LIMIT ?`,
    pageParams: [...page.params, limit],
    columns: COLUMNS.length,
    total: `(SELECT count(*) FROM deliveries WHERE ${all.where})`,
    totalParams: all.params,
  });
}

function conditions({ subscription, state, eventId, before }: DeliveryQuery) {
  const conditions = ["subscription = ?"];
  const params: (string | number)[] = [subscription];
  const add = (sql: string, value: string | number | undefined) => {
    if (value === undefined) return;
    conditions.push(sql);
    params.push(value);
  };
  add("state = ?", state);
  add("event_id = ?", eventId);
  add("id < ?", before);
  return { where: conditions.join(" AND "), params };
}

/** The ids of events whose last delivery to a subscription failed, of these. */
export async function failedEvents(
  reader: Reader,
  subscription: string,
  events: readonly number[],
): Promise<Set<number>> {
  const rows = await reader.all<{ event: number; state: number }>(
    `SELECT event, state FROM deliveries WHERE subscription = ?
       AND event IN (${reader.dialect.integers}) ORDER BY id`,
    subscription,
    JSON.stringify(events.map(String)),
  );
  const last = new Map(rows.map(({ event, state }) => [event, state]));
  return new Set([...last].flatMap(([event, state]) => (state === 2 ? [event] : [])));
}

/** A time that is divided into equal intervals, in milliseconds. */
interface CountedTime {
  readonly since: number;
  readonly until: number;
  readonly count: number;
}

/**
 * Deliveries by interval of their creation and state, of the subscriptions whose uids are in a range. Counts ranges of one
 * index, and reads no rows: a costly read, since the entries may be many.
 */
export function countDeliveriesOverTime(
  reader: Reader,
  [first, last]: readonly [string, string],
  time: CountedTime,
): Promise<{ readonly interval: number; readonly state: number; readonly total: number }[]> {
  const { tuples, asInteger } = reader.dialect;
  const sql = `SELECT at AS interval, counted AS state, CAST(sum(total) AS BIGINT) AS total FROM (
      SELECT ${asInteger("at")} AS at, ${asInteger("counted")} AS counted,
        (SELECT count(*) FROM deliveries WHERE subscription = uid AND state = ${asInteger("counted")}
           AND time >= ${asInteger("begins")} AND time < ${asInteger("ends")}) AS total
      FROM (${tuples("at", "begins", "ends", "counted")}) AS ranges CROSS JOIN subscription_states
      WHERE uid >= ? AND uid <= ?) AS totals
    GROUP BY at, counted`;
  const ranges = JSON.stringify(rangesOf(time));
  return (reader.costly ?? reader).all(sql, ranges, first, last);
}

/** Each interval with each state. */
function rangesOf({ since, until, count }: CountedTime): (readonly number[])[] {
  const begin = (at: number) => Math.ceil(since + (at * (until - since)) / count);
  return Array.from({ length: count }, (_, at) =>
    Object.values(DELIVERY_STATES).map((state) => [at, begin(at), begin(at + 1), state]),
  ).flat();
}
