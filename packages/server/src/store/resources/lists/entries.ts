import type { Reader } from "../../db/connection.ts";
import { Conditions, type Sql, where } from "../conditions.ts";
import type { Bound, PageQuery, Position } from "../query.ts";
import type { ResourceTable } from "../resource-table.ts";
import type { Form, PageRow } from "../rows.ts";
import { keyOf, positionAt } from "./list-index.ts";

/** Reads rows in the order of the entries of an index. */
export async function entryRows(
  reader: Reader,
  table: ResourceTable,
  query: PageQuery,
  list: number,
  form: Form,
  total: Sql,
): Promise<PageRow[]> {
  const { column } = query.order;
  const { text, params } = selectEntries(reader, table, query, list);
  const direction = directionOf(query);
  return reader.arrays<PageRow>(
    `SELECT r.${column}, r.id, r.encoding, r.${form}${total.text}
     FROM (${text}) chosen JOIN ${table.shape.name} r ON r.id = chosen.row_id
     ORDER BY chosen.key ${direction}, chosen.row_id ${direction}`,
    ...total.params,
    ...params,
  );
}

/** Reads the positions of rows from the entries alone. */
export async function entryPositions(
  reader: Reader,
  table: ResourceTable,
  query: PageQuery,
  list: number,
): Promise<Position[]> {
  const { text, params } = selectEntries(reader, table, query, list);
  const rows = await reader.arrays<readonly [key: string, id: number]>(text, ...params);
  return rows.map(([key, id]) => positionAt(query.order.column, key, id));
}

function selectEntries(
  { dialect }: Reader,
  table: ResourceTable,
  query: PageQuery,
  list: number,
): Sql {
  const { range, start, order, filters, limit, offset } = query;
  const conditions: Sql[] = [{ text: "list = ?", params: [list] }];
  if (start !== undefined) {
    const than = `${order.descending ? "<" : ">"}${start.inclusive ? "=" : ""}`;
    conditions.push({ text: `(key, row_id) ${than} (?, ?)`, params: [keyOf(start.key), start.id] });
  }
  // SQLite seeks by the first limit it is given: that of the page is nearer.
  const key = start === undefined ? "key" : new Conditions(dialect, table.shape).hidden("key");
  // The entries of a filtered list are those that have the value.
  for (const { after, until } of filters.filter((one): one is Bound => "after" in one)) {
    conditions.push({ text: `${key} > ?`, params: [keyOf(after)] });
    if (until !== undefined) conditions.push({ text: `${key} <= ?`, params: [keyOf(until)] });
  }
  // Entries include the scope itself.
  if ("below" in range && !range.self && table.shape.isScope) {
    const itself = `row_id <> (SELECT id FROM ${table.shape.name} WHERE uid = ?)`;
    conditions.push({ text: itself, params: [range.below] });
  }
  const { text, params } = where(conditions);
  const direction = directionOf(query);
  return {
    text: `SELECT key, row_id FROM list_entries${text} ORDER BY key ${direction}, row_id ${direction} LIMIT ? OFFSET ?`,
    params: [...params, limit, offset],
  };
}

function directionOf({ order }: PageQuery): "ASC" | "DESC" {
  return order.descending ? "DESC" : "ASC";
}
