import type { Transaction } from "../../db/commit/transaction.ts";
import type { Dialect, Driver, Reader } from "../../db/connection.ts";
import { readCounted } from "../../db/read/counted.ts";
import { FEW_ENTRIES } from "../../db/read/log-reader.ts";

/**
 * Events in the order of their commits.
 *
 * On PostgreSQL, several replicas commit at the same time: an event with a lower id can become visible after one with a
 * higher id, and a reader that continues after the highest id would skip it. So events are ordered by their
 * transaction, and only those are read whose transaction precedes all running ones: the visibility horizon. Nothing can
 * appear before it any more. SQLite has one writer, and its ids are in order.
 */

/** A position in the log. On SQLite `tx` is 0. */
export interface LogPosition {
  readonly tx: number;
  readonly id: number;
}

/** The position of an event. One that is kept in memory is valid while the log has the event there: `isLogged`. */
export interface EventPosition extends LogPosition {
  /** Empty at the start of the log. */
  readonly eventId: string;
}

/** Precedes all events, also those that `rebaseLog` has moved below 0. */
export const LOG_START: EventPosition = { tx: Number.MIN_SAFE_INTEGER, id: 0, eventId: "" };

/** An event without its body. */
export interface LoggedEvent extends EventPosition {
  readonly time: number;
  readonly type: string;
  readonly subject: string;
  readonly group: string;
  readonly actor: string;
  readonly bodyType: string;
}

export interface EventWithBody extends LoggedEvent {
  /** The claims that the actor exchanged for its token, as JSON; empty if there are none. */
  readonly act: string;
  readonly body: string;
}

/** Which events to read: all members restrict. */
export interface LogQuery {
  /** Only events after this position, or before it in descending order. */
  readonly from?: LogPosition | undefined;
  /** Only events of this group and everything below it. */
  readonly group?: string | undefined;
  /** Only events of these types, without prefix. */
  readonly types?: readonly string[] | undefined;
  readonly subject?: string | undefined;
  readonly actor?: string | undefined;
  readonly since?: number | undefined;
  /** Exclusive. */
  readonly until?: number | undefined;
  readonly descending?: boolean;
  /** All committed events, also those beyond the horizon: for lists, which are not continued after their end. */
  readonly beyondHorizon?: boolean;
}

const COLUMNS = `event_id AS "eventId", time, type, subject, group_uid AS "group", actor, body_type AS "bodyType"`;

const HORIZON = "tx < pg_snapshot_xmin(pg_current_snapshot())::text::bigint";

function positionColumns({ name }: Dialect): string {
  return name === "sqlite" ? "0 AS tx, id" : "tx, id";
}

/** The reader for what follows a position: a search for few events may look at all of them up to the end. */
export function readerBetween(reader: Reader, from: LogPosition, end: LogPosition): Reader {
  return end.id - from.id < FEW_ENTRIES ? reader : (reader.costly ?? reader);
}

/** Reads events in order, up to the horizon unless the query goes beyond it. */
export function readLog(reader: Reader, query: LogQuery, limit: number): Promise<LoggedEvent[]> {
  const { text, params } = pageSql(reader.dialect, query);
  return reader.all(text, ...params, limit);
}

function pageSql(dialect: Dialect, query: LogQuery) {
  const { where, params } = conditions(dialect, query);
  const direction = query.descending ? "DESC" : "ASC";
  const order = dialect.name === "sqlite" ? `id ${direction}` : `tx ${direction}, id ${direction}`;
  const text = `SELECT ${positionColumns(dialect)}, ${COLUMNS} FROM events
     WHERE ${where} ORDER BY ${order} LIMIT ?`;
  return { text, params };
}

/** A page of events, and the number of all that match without its start. */
export function readLogPage(reader: Reader, query: LogQuery, limit: number) {
  const page = pageSql(reader.dialect, query);
  const all = conditions(reader.dialect, { ...query, from: undefined });
  return readCounted<LoggedEvent>(reader, {
    page: page.text,
    pageParams: [...page.params, limit],
    columns: 9,
    total: `(SELECT count(*) FROM events WHERE ${all.where})`,
    totalParams: all.params,
  });
}

export async function countLog(reader: Reader, query: LogQuery): Promise<number> {
  const { where, params } = conditions(reader.dialect, query);
  const sql = `SELECT count(*) AS total FROM events WHERE ${where}`;
  return (await reader.get<{ total: number }>(sql, ...params))?.total ?? 0;
}

function conditions({ name, texts }: Dialect, query: LogQuery) {
  const conditions = [name === "sqlite" || query.beyondHorizon ? "1 = 1" : HORIZON];
  const params: (string | number)[] = [];
  const add = (sql: string, ...values: (string | number | undefined)[]) => {
    if (values.includes(undefined)) return;
    conditions.push(sql);
    params.push(...(values as (string | number)[]));
  };
  const { from, group, types, subject, actor, since, until, descending } = query;
  const sign = descending ? "<" : ">";
  if (name === "sqlite") add(`id ${sign} ?`, from?.id);
  else add(`(tx, id) ${sign} (?, ?)`, from?.tx, from?.id);
  // Everything below a group begins with its uid and a slash; "0" is the character after the slash.
  const below = group === undefined ? [] : [`${group}/`, `${group}0`];
  if (group !== undefined)
    add("(group_uid = ? OR (group_uid > ? AND group_uid < ?))", group, ...below);
  if (types !== undefined) add(`type IN (${texts})`, JSON.stringify(types));
  add("subject = ?", subject);
  add("actor = ?", actor);
  add("time >= ?", since);
  add("time < ?", until);
  return { where: conditions.join(" AND "), params };
}

/** Events with their bodies, by row id. Expired ones are missing. */
export async function readEventBodies(
  reader: Reader,
  ids: readonly number[],
): Promise<Map<number, EventWithBody>> {
  const { dialect } = reader;
  const rows = await reader.all<EventWithBody>(
    `SELECT ${positionColumns(dialect)}, ${COLUMNS}, act, body FROM events
     WHERE id IN (${dialect.integers})`,
    JSON.stringify(ids.map(String)),
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Finds an event by its id; undefined once it has expired. Its time comes from the id: only times are indexed. */
export function findEvent(
  reader: Reader,
  eventId: string,
  time: number,
): Promise<LoggedEvent | undefined> {
  const sql = `SELECT ${positionColumns(reader.dialect)}, ${COLUMNS} FROM events
    WHERE time = ? AND event_id = ?`;
  return reader.get(sql, time, eventId);
}

/** The position of the last event below the horizon. */
export async function logEnd(reader: Reader): Promise<EventPosition> {
  const [last] = await readLog(reader, { descending: true }, 1);
  return last ?? LOG_START;
}

/** A position that precedes all events of this transaction, and follows those of transactions before it. */
export async function currentPosition(tx: Transaction): Promise<LogPosition> {
  if (tx.dialect.name === "postgres") {
    const sql = "SELECT pg_current_xact_id()::text::bigint AS tx";
    return { tx: (await tx.get<{ tx: number }>(sql))?.tx ?? 0, id: 0 };
  }
  const row = await tx.get<{ id: number | null }>("SELECT max(id) AS id FROM events");
  return { tx: 0, id: row?.id ?? 0 };
}

export async function readCursor(reader: Reader, name: string): Promise<LogPosition> {
  const sql = "SELECT tx, id FROM event_cursors WHERE name = ?";
  return (await reader.get<LogPosition>(sql, name)) ?? LOG_START;
}

/**
 * Moves a cursor from where it was read to an event. Returns false, and changes nothing, unless both are still stored:
 * after a failover, the database may lack the latest commits, and has others with the same numbers.
 */
export async function moveCursor(
  tx: Transaction,
  name: string,
  from: LogPosition,
  to: EventPosition,
): Promise<boolean> {
  const changed = await tx.run(
    `INSERT INTO event_cursors (name, tx, id)
     SELECT ?, ${positionColumns(tx.dialect)} FROM events WHERE id = ? AND event_id = ?
     ON CONFLICT (name) DO UPDATE SET tx = excluded.tx, id = excluded.id
     WHERE event_cursors.tx = ? AND event_cursors.id = ?`,
    name,
    to.id,
    to.eventId,
    from.tx,
    from.id,
  );
  return changed > 0;
}

/**
 * Whether the log still has an event at its position. If not, the database was replaced by an earlier state of itself,
 * or the order was changed: events that follow may precede the position. The newest event never expires.
 */
export async function isLogged(reader: Reader, at: EventPosition): Promise<boolean> {
  if (at.eventId === "") return true;
  const sql = `SELECT ${positionColumns(reader.dialect)} FROM events WHERE id = ? AND event_id = ?`;
  return (await reader.get<LogPosition>(sql, at.id, at.eventId))?.tx === at.tx;
}

/** Whether one position follows another. */
export function isAfter(one: LogPosition, other: LogPosition): boolean {
  return one.tx === other.tx ? one.id > other.id : one.tx > other.tx;
}

/**
 * The highest transaction of all positions, if it is none of this cluster. All parts of one statement see the same
 * snapshot: rows that it sees were written by transactions before its end, whatever is committed meanwhile.
 */
const FOREIGN_POSITIONS = `SELECT max(tx) AS last FROM (
    SELECT max(tx) AS tx FROM events UNION ALL SELECT max(tx) FROM event_cursors
    UNION ALL SELECT max(start_tx) FROM subscription_states) AS positions
  HAVING max(tx) >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint`;

/**
 * Moves all positions below 0, in the same order, if the database was restored into a cluster that counts transactions
 * from a lower number: what is stored precedes everything new. Does nothing otherwise. A physical copy (a standby, an
 * earlier state of the same cluster, pg_upgrade) has the counter that belongs to its rows. Runs before a server writes
 * or reads events.
 */
export async function rebaseLog({ dialect, reader, openSession }: Driver): Promise<void> {
  if (dialect.name === "sqlite" || (await reader.get(FOREIGN_POSITIONS)) === undefined) return;
  const session = await openSession();
  try {
    // Replicas that start together wait for each other here.
    await session.script(
      "BEGIN; LOCK TABLE events, event_cursors, subscription_states IN EXCLUSIVE MODE",
    );
    const found = await session.get<{ last: number }>(FOREIGN_POSITIONS);
    if (found !== undefined) {
      const distance = found.last + 1;
      await session.run("UPDATE events SET tx = tx - ?", distance);
      await session.run("UPDATE event_cursors SET tx = tx - ?", distance);
      await session.run("UPDATE subscription_states SET start_tx = start_tx - ?", distance);
    }
    await session.script("COMMIT");
  } finally {
    await session.close();
  }
}
