import type { SlicedTask } from "../../lib/scheduling/time-slices.ts";
import type { Reader, Value } from "../db/connection.ts";
import {
  type AccessPath,
  type BoundedWalk,
  countPath,
  countRows,
  pagePath,
} from "./access-path.ts";
import { Conditions, type Sql, startingAt, where } from "./conditions.ts";
import { FEW_ROWS, isShortWalk, readerForAll, readerForPage } from "./cost.ts";
import { entryPositions, entryRows } from "./lists/entries.ts";
import type { Condition, Order, PageQuery, Position, Range } from "./query.ts";
import { rangeSize, sizeColumn } from "./range-counts.ts";
import type { ResourceTable } from "./resource-table.ts";
import type { Form, PageForm, PageRow } from "./rows.ts";

/** Beyond this offset, ids are selected from an index first, and only the rows of the page are fetched. */
const MAX_FETCHED_OFFSET = 200;

/** Reads rows of a range in order. */
export async function readPage(
  reader: Reader,
  table: ResourceTable,
  query: PageQuery,
  form: "keys",
): Promise<PageRow[]>;
export async function readPage<F extends Form>(
  reader: Reader,
  table: ResourceTable,
  query: PageQuery,
  form: F,
): Promise<PageRow<F>[]>;
export async function readPage(
  reader: Reader,
  table: ResourceTable,
  query: PageQuery,
  form: PageForm,
): Promise<PageRow[]>;
export async function readPage(
  reader: Reader,
  table: ResourceTable,
  query: PageQuery,
  form: PageForm,
): Promise<PageRow[]> {
  if (form === "keys") {
    const positions = await readPositions(reader, table, query);
    return positions.map(({ key, id }): PageRow => [key, id, 0, ""]);
  }
  const total = totalColumn(table, query);
  if (query.entries !== undefined)
    return entryRows(reader, table, query, query.entries, form, total);
  const { column, descending } = query.order;
  if (query.offset <= MAX_FETCHED_OFFSET) {
    const columns = `${column}, id, encoding, ${form}${total.text}`;
    return selectPage<PageRow>(reader, table, query, columns, total.params);
  }
  const direction = descending ? "DESC" : "ASC";
  const hidden = new Conditions(reader.dialect, table.shape).hidden(`r.${column}`);
  return selectPage<PageRow>(reader, table, query, "id", total.params, (chosen) => {
    return `SELECT r.${column}, r.id, r.encoding, r.${form}${total.text}
     FROM (${chosen}) chosen JOIN ${table.shape.name} r ON r.id = chosen.id
     ORDER BY ${hidden} ${direction}, r.id ${direction}`;
  });
}

/** What follows the columns of a row: the size of the range, if the query asks for it and it is kept. */
function totalColumn(table: ResourceTable, { range, filters, counted }: PageQuery): Sql {
  const size = counted && filters.length === 0 ? sizeColumn(table, range) : undefined;
  return size === undefined ? { text: "", params: [] } : { ...size, text: `, ${size.text}` };
}

/** Reads only the positions of the rows of a page. */
export async function readPositions(
  reader: Reader,
  table: ResourceTable,
  query: PageQuery,
): Promise<Position[]> {
  if (query.entries !== undefined) return entryPositions(reader, table, query, query.entries);
  const columns = `${query.order.column}, id`;
  const rows = await selectPage<readonly [key: string | number, id: number]>(
    reader,
    table,
    query,
    columns,
  );
  return rows.map(([key, id]) => ({ key, id }));
}

/** Ids per statement. */
const IDS_PER_READ = 500;

/** The values of columns, by row id. */
export async function readKeys(
  reader: Reader,
  { shape: { name } }: ResourceTable,
  ids: readonly number[],
  columns: readonly (Order["column"] | "terms")[],
): Promise<Map<number, readonly (string | number)[]>> {
  const values = new Map<number, readonly (string | number)[]>();
  for (let at = 0; at < ids.length; at += IDS_PER_READ) {
    const some = ids.slice(at, at + IDS_PER_READ);
    const sql = `SELECT id, ${columns.join(", ")} FROM ${name} WHERE id IN (${some.map(() => "?").join(", ")})`;
    const rows = await reader.arrays<readonly [id: number, ...(string | number)[]]>(sql, ...some);
    for (const [id, ...rest] of rows) values.set(id, rest);
  }
  return values;
}

/** Rows that are read by id with one statement: a page of the default size, and the first row of the next. */
const IDS_PER_STATEMENT = 51;

/** The encoding of rows, by row id. Other tasks may run between two statements. */
export async function readRowsById(
  reader: Reader,
  { shape: { name } }: ResourceTable,
  ids: readonly number[],
  form: PageForm,
  task: SlicedTask,
): Promise<Map<number, readonly [encoding: number, body: PageRow[3]]>> {
  const byId = new Map<number, readonly [encoding: number, body: PageRow[3]]>();
  for (let at = 0; at < ids.length; at += IDS_PER_STATEMENT) {
    await task.pause();
    const some = ids.slice(at, at + IDS_PER_STATEMENT);
    const sql = `SELECT id, encoding, ${form} FROM ${name} WHERE id IN (${some.map(() => "?").join(", ")})`;
    const rows = await reader.arrays<readonly [number, number, PageRow[3]]>(sql, ...some);
    for (const [id, encoding, body] of rows) byId.set(id, [encoding, body]);
  }
  return byId;
}

/** The number of rows in a range. Without filters it is kept in the counts. */
export async function countRange(
  reader: Reader,
  table: ResourceTable,
  range: Range,
  filters: readonly Condition[],
): Promise<number> {
  if (filters.length === 0 && !("uids" in range)) return rangeSize(reader, table, range);
  const conditions = await countPath(reader, table, range, filters);
  return countRows(await readerForAll(reader, table, range, filters), table, conditions);
}

/**
 * Selects columns of the rows of a page, whose parameters come first; `within` makes the statement from that of the
 * page.
 */
export async function selectPage<R extends readonly Value[]>(
  reader: Reader,
  table: ResourceTable,
  query: PageQuery,
  columns: string,
  values: readonly Value[] = [],
  within: (page: string) => string = (page) => page,
): Promise<R[]> {
  const { first, ...path } = await pagePath(reader, table, query);
  const by = await readerForPage(reader, table, query, path);
  if (first !== undefined) {
    const end = await endOf(by, table, query, first);
    const walk = { sorts: false, conditions: [...first.conditions, ...end] };
    const { text, params } = pageSql(reader, table, query, columns, walk);
    const rows = await by.arrays<R>(within(text), ...values, ...params);
    if (rows.length === query.limit) return rows;
  }
  const { text, params } = pageSql(reader, table, query, columns, path);
  return by.arrays<R>(within(text), ...values, ...params);
}

/** The condition that ends a walk after a number of rows; none where there are fewer. */
async function endOf(
  reader: Reader,
  table: ResourceTable,
  { order, start }: PageQuery,
  { among, maxRows }: BoundedWalk,
): Promise<Sql[]> {
  const query = { range: among, filters: [], order, start, offset: maxRows, limit: 1 };
  const [last] = await readPositions(reader, table, query);
  if (last === undefined) return [];
  // Rows before this one, which comes first in the opposite direction.
  const backwards = { ...order, descending: !order.descending };
  return startingAt({ ...query, order: backwards, start: { ...last, inclusive: false } });
}

function pageSql(
  reader: Reader,
  table: ResourceTable,
  query: PageQuery,
  columns: string,
  path: AccessPath,
): Sql {
  const { dialect } = reader;
  const { sorts, conditions, indexHint = "" } = path;
  const { order, limit, offset } = query;
  const { text, params } = where([...conditions, ...startingAt(query)]);
  const direction = order.descending ? "DESC" : "ASC";
  const column = sorts ? new Conditions(dialect, table.shape).hidden(order.column) : order.column;
  const tieBreaker = order.column === "uid" ? "" : `, id ${direction}`;
  const ordered = `SELECT ${columns} FROM ${table.shape.name}${indexHint}${text} ORDER BY ${column} ${direction}${tieBreaker}`;
  return {
    text: isShortWalk(reader, table, query, path)
      ? dialect.walk(ordered, FEW_ROWS)
      : `${ordered} LIMIT ? OFFSET ?`,
    params: [...params, limit, offset],
  };
}
