/**
 * Which reader runs a statement of a list: one that visits few rows runs at once, any other as a costly read
 * (db/read/costly-reads.ts). What is few is known from the counts, from the limit of a walk by an index, or from a
 * bounded look into the index of a value; everything else counts as many.
 */
import type { Reader } from "../db/connection.ts";
import type { AccessPath } from "./access-path.ts";
import { Conditions, columnTest, type Sql, where } from "./conditions.ts";
import type { Condition, Filter, PageQuery, Prefix, Range } from "./query.ts";
import { rangeSize } from "./range-counts.ts";
import type { ResourceTable } from "./resource-table.ts";

/** Rows that are visited in a millisecond, even if they are sorted. */
export const FEW_ROWS = 1_000;

export async function readerForPage(
  reader: Reader,
  table: ResourceTable,
  query: PageQuery,
  { sorts }: AccessPath,
): Promise<Reader> {
  const { costly } = reader;
  if (costly === undefined) return reader;
  if (isWalk(reader, table, query, sorts)) return isShort(query) ? reader : costly;
  const { range, filters } = query;
  return (await hasFew(reader, table, range, filters)) ? reader : costly;
}

/** Whether a page walks over few rows, by an index that has them in their order. */
export function isShortWalk(
  reader: Reader,
  table: ResourceTable,
  query: PageQuery,
  { sorts }: AccessPath,
): boolean {
  return isWalk(reader, table, query, sorts) && isShort(query);
}

function isWalk(
  { dialect }: Reader,
  { shape }: ResourceTable,
  { range, filters, order, secondary = [] }: PageQuery,
  sorts: boolean,
): boolean {
  // Rows with equal values of the first key are sorted, and they may be many.
  if (secondary.length > 0) return false;
  // A walk in the order of names begins and ends with a prefix.
  if (sorts || !filters.every((one) => "prefix" in one && order.column === "name")) return false;
  return new Conditions(dialect, shape).hasInOrderOf(range, order.column);
}

function isShort({ offset, limit }: PageQuery): boolean {
  return offset + limit <= FEW_ROWS;
}

/** The reader for a statement that visits all rows of a range that meet conditions. */
export async function readerForAll(
  reader: Reader,
  table: ResourceTable,
  range: Range,
  filters: readonly Condition[],
): Promise<Reader> {
  const { costly } = reader;
  if (costly === undefined) return reader;
  return (await hasFew(reader, table, range, filters)) ? reader : costly;
}

async function hasFew(
  reader: Reader,
  table: ResourceTable,
  range: Range,
  filters: readonly Condition[],
): Promise<boolean> {
  if ("uids" in range) return range.uids.length <= FEW_ROWS;
  // To ask PostgreSQL would cost more than to use a connection for costly reads.
  if (reader.dialect.name === "postgres") return false;
  const values = filters.filter((one): one is Filter | Prefix => "value" in one || "prefix" in one);
  for (const one of values) if (!(await fewHave(reader, table, range, one))) return false;
  // SQLite prefers the index of a value to that of the range.
  if (values.length > 0) return true;
  const { partitions } = range;
  const everything: Range = { everything: true, ...(partitions && { partitions }) };
  // A text is searched in the whole table.
  const searched = filters.some((one) => "text" in one) ? everything : range;
  return (await rangeSize(reader, table, searched)) <= FEW_ROWS;
}

/** Whether few rows of the whole table have a value, by the index of the value. */
async function fewHave(
  reader: Reader,
  table: ResourceTable,
  { partitions }: Range,
  condition: Filter | Prefix,
): Promise<boolean> {
  const { column } = condition;
  const own = table.shape.filterColumns.find(({ name }) => name === column);
  // A sparse index lacks empty values.
  if (own?.sparse && "value" in condition && condition.value === "") return false;
  // The index of a common column begins with the partition.
  const parts = own === undefined ? (partitions ?? []) : [];
  const conditions = [
    columnTest(condition),
    ...(own?.sparse ? [{ text: `${column} <> ''`, params: [] }] : []),
    ...(parts.length === 0
      ? []
      : [{ text: `part IN (${parts.map(() => "?").join(", ")})`, params: parts }]),
  ];
  return (await countRows(reader, table, conditions, FEW_ROWS + 1)) <= FEW_ROWS;
}

/** The number of rows that meet all conditions, up to a limit. */
export async function countRows(
  reader: Reader,
  { shape: { name } }: ResourceTable,
  conditions: readonly Sql[],
  limit: number,
): Promise<number> {
  const { text, params } = where(conditions);
  const sql = `SELECT count(*) AS total FROM (SELECT 1 FROM ${name}${text} LIMIT ?) few`;
  return (await reader.get<{ total: number }>(sql, ...params, limit))?.total ?? 0;
}
