import type { Reader } from "../db/connection.ts";
import { type AccessPath, type BoundedWalk, pagePath } from "./access-path.ts";
import { Conditions, type Sql, where } from "./conditions.ts";
import { FEW_ROWS, isShortWalk, readerForPage } from "./cost.ts";
import { orderBy, startingAt } from "./order-keys.ts";
import type { PageQuery, Position } from "./query.ts";
import type { ResourceTable } from "./resource-table.ts";

/** A way to read a page: its statement, and who runs it. */
export interface PageStatement extends Sql {
  readonly reader: Reader;
  /** Whether it may find fewer rows than there are. */
  readonly isBounded: boolean;
}

/** The columns of a page, and what becomes of its statement. */
export interface PageColumns {
  readonly columns: string;
  within?(page: string): string;
}

/** The statements of a page of one range: the second one is for a first one that found too few rows. */
export async function pageStatements(
  reader: Reader,
  table: ResourceTable,
  query: PageQuery,
  { columns, within = (page) => page }: PageColumns,
): Promise<PageStatement[]> {
  const { first, ...path } = await pagePath(reader, table, query);
  const by = await readerForPage(reader, table, query, path);
  const statement = (one: AccessPath, isBounded: boolean): PageStatement => {
    const ordered = orderedSql(reader, table, query, columns, one);
    const isShort = isShortWalk(reader, table, query, one);
    const { text, params } = isShort ? shortWalk(reader, ordered, query) : limited(ordered, query);
    return { reader: by, isBounded, text: within(text), params };
  };
  if (first === undefined) return [statement(path, false)];
  const end = await endOf(by, table, query, first);
  const walk = { sorts: false, conditions: [...first.conditions, ...end] };
  return [statement(walk, true), statement(path, false)];
}

/** Reads only the positions of the rows of a page. */
export async function readPositions(
  reader: Reader,
  table: ResourceTable,
  query: PageQuery,
): Promise<Position[]> {
  const columns = `${query.order.column}, id`;
  let rows: (readonly [key: string | number, id: number])[] = [];
  for (const statement of await pageStatements(reader, table, query, { columns })) {
    rows = await statement.reader.arrays(statement.text, ...statement.params);
    if (rows.length === query.limit) break;
  }
  return rows.map(([key, id]) => ({ key, id }));
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
  const before = { ...query, order: backwards, start: { ...last, inclusive: false } };
  return startingAt(reader.dialect, before);
}

/** Selects the rows of a range by a path, in order. */
export function orderedSql(
  reader: Reader,
  table: ResourceTable,
  query: PageQuery,
  columns: string,
  path: AccessPath,
): Sql {
  const { dialect } = reader;
  const { sorts, conditions, indexHint = "" } = path;
  const { text, params } = where([...conditions, ...startingAt(dialect, query)]);
  const hidden = (column: string) => new Conditions(dialect, table.shape).hidden(column);
  const order = orderBy(dialect, query, "", sorts ? hidden : undefined);
  const from = `FROM ${table.shape.name}${indexHint}${text}`;
  return { text: `SELECT ${columns} ${from} ORDER BY ${order}`, params };
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
