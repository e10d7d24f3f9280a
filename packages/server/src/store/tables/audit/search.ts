import { rootOf } from "@wharf/contract";
import type { Dialect, Reader, Value } from "../../db/connection.ts";
import { type CountedQuery, readCounted } from "../../db/read/counted.ts";
import { FEW_ENTRIES, logReader } from "../../db/read/log-reader.ts";
import { AUDIT_COLUMNS } from "./audit-and-events.ts";
import { auditIds, entryOf, type Row, type StoredAuditEntry } from "./entries.ts";

/**
 * Searches of the audit log by the index `audit_by_root`: it has the entries of an organization in the order of their times
 * and, on SQLite, all columns that filters compare. A search visits the entries of the organizations and times that it asks
 * for, whatever else it compares, so each write maintains one index.
 */

/** Entries that match all members. */
export interface AuditQuery {
  /** Entries of these resources, and of everything below them; undefined for all. */
  readonly scopes?: readonly string[] | undefined;
  /** Values by column; empty ones are not compared. */
  readonly values: Readonly<
    Record<"actor" | "remote_address" | "request_id" | "session" | "via", string>
  >;
  /** A pattern of methods, in which `*` stands for any characters, with or without their service; or empty. */
  readonly method: string;
  readonly codes?: { readonly listed: readonly number[]; readonly negated?: boolean } | undefined;
  /** From this time on, and before this time; milliseconds since 1970. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

export interface AuditPageRequest {
  readonly descending: boolean;
  /** The page begins after the entry with this id. */
  readonly after?: number | undefined;
  readonly skip: number;
  readonly limit: number;
}

const COLUMNS = ["id", ...Object.keys(AUDIT_COLUMNS.columns)];

/** The length of what `audit_by_root` begins with: the uid of a root, and the slash after it. */
const ROOT_PREFIX = 41;

/** A page of entries, and the number of all that match. The matches are collected once, for both. */
export async function readAuditPage(
  reader: Reader,
  query: AuditQuery,
  { descending, after, skip, limit }: AuditPageRequest,
): Promise<{ readonly entries: StoredAuditEntry[]; readonly total: number }> {
  const { where, params } = conditionsOf(reader.dialect, query);
  const order = descending ? "DESC" : "ASC";
  const isAfter = after === undefined ? "" : `WHERE id ${descending ? "<" : ">"} ?`;
  const counted: CountedQuery = {
    collect: `matched AS MATERIALIZED (SELECT id FROM audit WHERE ${where})`,
    collectParams: params,
    page: `SELECT ${COLUMNS.join(", ")} FROM audit WHERE id IN (
        SELECT id FROM matched ${isAfter} ORDER BY id ${order} LIMIT ? OFFSET ?)
      ORDER BY id ${order}`,
    pageParams: [...(after === undefined ? [] : [after]), limit, skip],
    columns: COLUMNS.length,
    total: "(SELECT count(*) FROM matched)",
    totalParams: [],
  };
  const by = await logReader(reader, "audit");
  const { rows, total } = await readCounted<Row & { readonly id: number }>(by, counted);
  return { entries: rows.map(entryOf), total };
}

/** The numbers of entries by equal intervals between two times, and by code. */
export async function countAuditByTime(
  reader: Reader,
  query: AuditQuery & { readonly since: number; readonly until: number },
  intervals: number,
): Promise<{ readonly interval: number; readonly code: number; readonly total: number }[]> {
  const { where, params } = conditionsOf(reader.dialect, query);
  const { since, until } = query;
  const sql = `SELECT part AS interval, code, count(*) AS total FROM (
      SELECT CAST((time - ?) * ? / ? AS INTEGER) AS part, code FROM audit WHERE ${where}) AS entries
    GROUP BY part, code`;
  const by = await logReader(reader, "audit");
  return by.all(sql, since, intervals, until - since, ...params);
}

/** Ids that one read of consecutive entries visits at most. */
const WINDOW_IDS = 50_000;

/**
 * Entries with ids after one and below another, in their order, at most so many of those that it visits. All up to
 * `reached` were visited.
 */
export async function readAuditBetween(
  reader: Reader,
  query: AuditQuery,
  {
    after,
    below,
    limit,
  }: { readonly after: number; readonly below: number; readonly limit: number },
): Promise<{ readonly entries: StoredAuditEntry[]; readonly reached: number }> {
  const from = Math.max(after + 1, (await auditIds(reader)).first);
  const end = Math.min(below, from + WINDOW_IDS);
  // An expression that no index has: ids are walked instead.
  const { where, params } = conditionsOf(reader.dialect, query, "(resource || '')");
  const sql = `SELECT ${COLUMNS.join(", ")} FROM audit WHERE id >= ? AND id < ? AND ${where}
    ORDER BY id LIMIT ?`;
  const by = end - from < FEW_ENTRIES ? reader : (reader.costly ?? reader);
  const entries = (await by.all<Row>(sql, from, end, ...params, limit)).map(entryOf);
  const last = entries.length < limit ? undefined : entries.at(-1);
  return { entries, reached: last?.id ?? Math.max(after, end - 1) };
}

function conditionsOf(dialect: Dialect, query: AuditQuery, resource = "resource") {
  const conditions = ["1 = 1"];
  const params: Value[] = [];
  const add = (sql: string, ...values: readonly (Value | undefined)[]) => {
    if (values.includes(undefined)) return;
    conditions.push(sql);
    params.push(...(values as readonly Value[]));
  };
  const { scopes, values, method, codes, since, until } = query;
  if (scopes !== undefined) addScopes(add, dialect, scopes, resource);
  add("time >= ?", since);
  add("time < ?", until);
  for (const [column, value] of Object.entries(values))
    if (value !== "") add(`${column} = ?`, value);
  if (method !== "") {
    const { matches, patternOf } = dialect.glob;
    const either = `(${matches("method")} OR ${matches("method")})`;
    add(either, patternOf(method), patternOf(`*/${method}`));
  }
  if (codes !== undefined) {
    add(`code ${codes.negated ? "NOT IN" : "IN"} (${codes.listed.join(", ")})`);
  }
  return { where: conditions.join(" AND "), params };
}

/** Compares the beginning of resources with scopes, by the length of these: with a slash, or where the resource ends. */
function addScopes(
  add: (sql: string, ...values: readonly string[]) => void,
  { texts }: Dialect,
  scopes: readonly string[],
  resource: string,
): void {
  const isOneOf = (length: number) => `substr(${resource}, 1, ${length}) IN (${texts})`;
  const beginnings = (of: Iterable<string>) =>
    JSON.stringify([...of].flatMap((scope) => [scope, `${scope}/`]));
  add(isOneOf(ROOT_PREFIX), beginnings(new Set(scopes.map(rootOf))));
  const byLength = Map.groupBy(scopes, ({ length }) => length + 1);
  const lengths = [...byLength.keys()];
  if (lengths.every((length) => length === ROOT_PREFIX)) return;
  add(`(${lengths.map(isOneOf).join(" OR ")})`, ...[...byLength.values()].map(beginnings));
}
