import type { Reader } from "../db/connection.ts";
import { Conditions, columnTest, type Sql, where } from "./conditions.ts";
import { selectPage } from "./page.ts";
import type { Condition, Order, PageQuery } from "./query.ts";
import type { ResourceTable } from "./resource-table.ts";
import type { PageForm, PageRow } from "./rows.ts";
import { splitConditions, termTests } from "./terms/term-path.ts";

/** The position of a row in an order, and its uid. */
export type UidPosition = readonly [key: string | number, id: number, uid: string];

/** Rows of many subtrees, or with many uids, by one statement. */
export interface ManyRows {
  readonly uids: readonly string[];
  /** Whether the uids are the tops of subtrees, whose rows are wanted; otherwise those of the rows. */
  readonly areTops: boolean;
  readonly filters: readonly Condition[];
}

/** The positions of rows, in no particular order. */
export function readManyPositions(
  reader: Reader,
  table: ResourceTable,
  column: Order["column"],
  rows: ManyRows,
): Promise<UidPosition[]> {
  const { text, params } = among(reader, table, rows);
  return reader.arrays<UidPosition>(`SELECT ${column}, id, uid ${text}`, ...params);
}

/** The first rows of subtrees in the order of uids, behind or with a uid. */
export function readSubtreePage(
  reader: Reader,
  table: ResourceTable,
  tops: readonly string[],
  page: Pick<PageQuery, "start" | "offset" | "limit" | "order">,
  form: PageForm,
): Promise<PageRow[]> {
  const { text, params } = among(reader, table, { uids: tops, areTops: true, filters: [] });
  const { start, offset, limit, order } = page;
  const than = `${order.descending ? "<" : ">"}${start?.inclusive ? "=" : ""}`;
  const hidden = new Conditions(reader.dialect, table.shape).hidden("uid");
  const behind = start === undefined ? "" : ` AND ${hidden} ${than} ?`;
  const columns = form === "keys" ? "0, ''" : `encoding, ${form}`;
  return reader.arrays<PageRow>(
    `SELECT uid, id, ${columns} ${text}${behind}
     ORDER BY ${hidden} ${order.descending ? "DESC" : "ASC"} LIMIT ? OFFSET ?`,
    ...params,
    ...(start === undefined ? [] : [String(start.key)]),
    limit,
    offset,
  );
}

function among(reader: Reader, table: ResourceTable, { uids, areTops, filters }: ManyRows): Sql {
  const { dialect } = reader;
  const { name } = table.shape;
  // PostgreSQL does not know by which collation to compare otherwise.
  const value = dialect.name === "postgres" ? 'value COLLATE "C"' : "value";
  const found: Sql = {
    text: areTops ? `uid >= ${value} AND uid < ${value} || '0'` : `uid = ${value}`,
    params: [],
  };
  const { text, params } = where([found, ...tests(reader, table, filters)]);
  // SQLite keeps the order of a cross join: each uid is looked up in the index.
  const from = `FROM (${dialect.texts}) given CROSS JOIN ${name}`;
  return { text: `${from}${text}`, params: [JSON.stringify(uids), ...params] };
}

/** Tests rows that are found by uid. */
function tests(reader: Reader, table: ResourceTable, filters: readonly Condition[]): Sql[] {
  const { columns, terms } = splitConditions(filters);
  const conditions = new Conditions(reader.dialect, table.shape);
  return [
    ...columns.map((one) => columnTest(one, conditions.hidden(one.column))),
    ...termTests(reader, table, terms),
  ];
}

/** The positions of the rows of a page, with their uids. */
export function readUidPositions(
  reader: Reader,
  table: ResourceTable,
  query: PageQuery,
): Promise<UidPosition[]> {
  return selectPage<UidPosition>(reader, table, query, `${query.order.column}, id, uid`);
}

/** The positions of rows by their ids, in no particular order. */
export function readPositionsById(
  reader: Reader,
  table: ResourceTable,
  column: Order["column"],
  ids: readonly number[],
): Promise<UidPosition[]> {
  const { text, params } = byId(reader, table, ids);
  return reader.arrays<UidPosition>(`SELECT ${column}, id, uid ${text}`, ...params);
}

export type UidPageRow = readonly [...PageRow, uid: string];

/** Rows by their ids, in no particular order. */
export function readPageById(
  reader: Reader,
  table: ResourceTable,
  column: Order["column"],
  ids: readonly number[],
  form: PageForm,
): Promise<UidPageRow[]> {
  const { text, params } = byId(reader, table, ids);
  const columns = form === "keys" ? "0, ''" : `encoding, ${form}`;
  return reader.arrays<UidPageRow>(`SELECT ${column}, id, ${columns}, uid ${text}`, ...params);
}

function byId(reader: Reader, { shape }: ResourceTable, ids: readonly number[]): Sql {
  const { asInteger, texts } = reader.dialect;
  const given = `SELECT ${asInteger("value")} FROM (${texts}) given`;
  return { text: `FROM ${shape.name} WHERE id IN (${given})`, params: [JSON.stringify(ids)] };
}
