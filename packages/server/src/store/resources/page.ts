import type { Reader } from "../db/connection.ts";
import { type AccessPath, pagePath } from "./access-path.ts";
import { Conditions, type Sql, where } from "./conditions.ts";
import { FEW_ROWS, isShortWalk, readerForPage } from "./cost.ts";
import { orderBy, secondaryColumns, startingAt } from "./order-keys.ts";
import type { PageQuery, Position } from "./query.ts";
import type { ResourceTable } from "./resource-table.ts";
import type { Form } from "./rows.ts";
import { type Part, within } from "./scattered.ts";

/** Beyond this offset, ids are selected from an index first, and only the rows of the page are fetched. */
export const MAX_FETCHED_OFFSET = 200;

/** A query of one page, only of rows within scopes, if there are any. */
export type PartQuery = PageQuery & Pick<Part, "scopes">;

/** A statement, and the reader that runs it. */
export interface PageStatement extends Sql {
  readonly reader: Reader;
}

/** Reads a page of rows in a form. */
export async function pageStatement(
  reader: Reader,
  table: ResourceTable,
  query: PartQuery,
  form: Form,
): Promise<PageStatement> {
  if (query.offset > MAX_FETCHED_OFFSET) {
    const { text, ...chosen } = await selectPage(reader, table, query, "id");
    return { ...chosen, text: fetching(reader, table, query, form, text) };
  }
  const secondary = secondaryColumns(reader.dialect, query);
  const columns = `${query.order.column}, id, encoding, ${form}${secondary}`;
  return selectPage(reader, table, query, columns);
}

/** Fetches the rows whose ids a statement selects. */
export function fetching(
  { dialect }: Reader,
  { shape }: ResourceTable,
  query: Omit<PageQuery, "range">,
  form: Form,
  chosen: string,
): string {
  const hidden = (column: string) => new Conditions(dialect, shape).hidden(column);
  const columns = `r.${query.order.column}, r.id, r.encoding, r.${form}${secondaryColumns(dialect, query, "r.")}`;
  return `SELECT ${columns}
     FROM (${chosen}) chosen JOIN ${shape.name} r ON r.id = chosen.id
     ORDER BY ${orderBy(dialect, query, "r.", hidden)}`;
}

/** Reads only the positions of the rows of a page. */
export async function readPositions(
  reader: Reader,
  table: ResourceTable,
  query: PageQuery,
): Promise<Position[]> {
  const columns = `${query.order.column}, id`;
  const { text, params, reader: by } = await selectPage(reader, table, query, columns);
  const rows = await by.arrays<readonly [key: string | number, id: number]>(text, ...params);
  return rows.map(([key, id]) => ({ key, id }));
}

async function selectPage(
  reader: Reader,
  table: ResourceTable,
  query: PartQuery,
  columns: string,
): Promise<PageStatement> {
  const { path, reader: by } = await partPath(reader, table, query);
  const from = fromSql(reader, table, query, path);
  const order = orderOf(reader, table, query, path);
  if (path.sorts && query.offset > MAX_FETCHED_OFFSET)
    return { reader: by, ...ranked(columns, from, order, query) };
  const ordered = { ...from, text: `SELECT ${columns} ${from.text} ORDER BY ${order}` };
  const isShort = isShortWalk(reader, table, query, path);
  return { reader: by, ...(isShort ? shortWalk(reader, ordered, query) : limited(ordered, query)) };
}

/** The path to a page, and the reader of its rows. */
export async function partPath(
  reader: Reader,
  table: ResourceTable,
  query: PartQuery,
): Promise<{ readonly path: AccessPath; readonly reader: Reader }> {
  const path = await pagePath(reader, table, query);
  const by = await readerForPage(reader, table, query, path);
  if (query.scopes === undefined) return { path, reader: by };
  const conditions = [...path.conditions, ...within(reader.dialect, query.scopes)];
  return { path: { ...path, conditions }, reader: reader.costly ?? by };
}

/** The rows of a page and those after it. */
export function fromSql(
  { dialect }: Reader,
  { shape }: ResourceTable,
  query: PageQuery,
  { conditions, indexHint = "" }: AccessPath,
): Sql {
  const { text, params } = where([...conditions, ...startingAt(dialect, query)]);
  return { text: `FROM ${shape.name}${indexHint}${text}`, params };
}

/** The order of the rows that a path finds. */
export function orderOf(
  { dialect }: Reader,
  { shape }: ResourceTable,
  query: PageQuery,
  { sorts }: AccessPath,
): string {
  const hidden = (column: string) => new Conditions(dialect, shape).hidden(column);
  return orderBy(dialect, query, "", sorts ? hidden : undefined);
}

type Limits = Pick<PageQuery, "limit" | "offset">;

/** A page of ordered rows. */
export function limited({ text, params }: Sql, { limit, offset }: Limits): Sql {
  return { text: `${text} LIMIT ? OFFSET ?`, params: [...params, limit, offset] };
}

/** The same for few rows of an index that has their order. */
function shortWalk({ dialect }: Reader, { text, params }: Sql, { limit, offset }: Limits): Sql {
  return { text: dialect.walk(text, FEW_ROWS), params: [...params, limit, offset] };
}

/**
 * A page far from the first of rows that are sorted. With LIMIT, SQLite inserts all rows before the end of the page into
 * a B-tree; without, it sorts them in runs, which takes a third of the time.
 */
export function ranked(columns: string, from: Sql, order: string, { limit, offset }: Limits): Sql {
  const all = `SELECT ${columns}, row_number() OVER (ORDER BY ${order}) AS rank ${from.text}`;
  const text = `SELECT ${columns} FROM (${all}) ranked WHERE rank > ? AND rank <= ? ORDER BY rank`;
  return { text, params: [...from.params, offset, offset + limit] };
}
