import type { Reader } from "../db/connection.ts";
import { countPath, countRows, pagePath } from "./access-path.ts";
import { Conditions, type Sql, startingAt, where } from "./conditions.ts";
import type { Condition, PageQuery, Position, Range } from "./query.ts";
import { rangeSize } from "./range-counts.ts";
import type { ResourceTable } from "./resource-table.ts";
import type { Form, PageRow } from "./rows.ts";

/** Beyond this offset, ids are selected from an index first, and only the rows of the page are fetched. */
const MAX_FETCHED_OFFSET = 200;

/** Reads rows of a range in order. */
export async function readPage<F extends Form>(
  reader: Reader,
  table: ResourceTable,
  query: PageQuery,
  form: F,
): Promise<PageRow<F>[]> {
  const { column, descending } = query.order;
  if (query.offset <= MAX_FETCHED_OFFSET) {
    const { text, params } = await select(reader, table, query, `${column}, id, encoding, ${form}`);
    return reader.arrays<PageRow<F>>(text, ...params);
  }
  const selected = await select(reader, table, query, "id");
  const direction = descending ? "DESC" : "ASC";
  return reader.arrays<PageRow<F>>(
    `SELECT r.${column}, r.id, r.encoding, r.${form}
     FROM (${selected.text}) chosen JOIN ${table.shape.name} r ON r.id = chosen.id
     ORDER BY ${new Conditions(reader.dialect, table.shape).hidden(`r.${column}`)} ${direction}, r.id ${direction}`,
    ...selected.params,
  );
}

/** Reads only the positions of the rows of a page. */
export async function readPositions(
  reader: Reader,
  table: ResourceTable,
  query: PageQuery,
): Promise<Position[]> {
  const { text, params } = await select(reader, table, query, `${query.order.column}, id`);
  const rows = await reader.arrays<readonly [key: string | number, id: number]>(text, ...params);
  return rows.map(([key, id]) => ({ key, id }));
}

/** The number of rows in a range. Without filters it is kept in the counts. */
export async function countRange(
  reader: Reader,
  table: ResourceTable,
  range: Range,
  filters: readonly Condition[],
): Promise<number> {
  if (filters.length === 0 && !("uids" in range)) return rangeSize(reader, table, range);
  return countRows(reader, table, await countPath(reader, table, range, filters));
}

async function select(
  reader: Reader,
  table: ResourceTable,
  query: PageQuery,
  columns: string,
): Promise<Sql> {
  const { order, limit, offset } = query;
  const { sorts, conditions, indexHint = "" } = await pagePath(reader, table, query);
  const { text, params } = where([...conditions, ...startingAt(query)]);
  const direction = order.descending ? "DESC" : "ASC";
  const column = sorts
    ? new Conditions(reader.dialect, table.shape).hidden(order.column)
    : order.column;
  const tieBreaker = order.column === "uid" ? "" : `, id ${direction}`;
  return {
    text: `SELECT ${columns} FROM ${table.shape.name}${indexHint}${text} ORDER BY ${column} ${direction}${tieBreaker} LIMIT ? OFFSET ?`,
    params: [...params, limit, offset],
  };
}
