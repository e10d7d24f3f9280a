import type { Reader } from "../db/connection.ts";
import { asked, Conditions, type Sql, startingAt, where } from "./conditions.ts";
import { countsOf } from "./range-counts.ts";
import type { Bound, Condition, Filter, ResourceTable } from "./resource-table.ts";
import { apart, tests, throughTerms } from "./through-terms.ts";

/** A stretch of the tree: everything, a subtree, the children of one place, or named rows. */
export type TreeRange =
  | { readonly everything: true }
  | { readonly below: string; readonly self: boolean }
  | { readonly childrenOf: string }
  | { readonly uids: readonly string[] };

/**
 * The rows of a table on a stretch of the tree. Where the table has parts: those of one part, or,
 * of named rows, of several.
 */
export type Range = TreeRange & { readonly parts?: readonly number[] };

export interface Order {
  readonly column: "uid" | "name" | "created" | "updated";
  readonly descending: boolean;
}

/** Where a row stands in its order: the value ordered by, and the row's number among equals. */
export interface Position {
  readonly key: string | number;
  readonly id: number;
}

/** Begin after this row, or with it. */
export type Start = Position & { readonly inclusive: boolean };

export interface PageQuery {
  readonly range: Range;
  readonly filters: readonly Condition[];
  readonly order: Order;
  readonly start?: Start | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** The value ordered by, the row's number, the shape it is encoded with, and the row itself. */
export type PageRow = readonly [
  key: string | number,
  id: number,
  encoding: number,
  body: string | Uint8Array,
];

/** Beyond this many skipped rows it pays to choose rows from an index first and fetch them after. */
const FETCH_SKIPPED = 200;

/**
 * Reads rows of a range in order.
 *
 * @example const rows = await readPage(reader, table, query, "json");
 */
export async function readPage(
  reader: Reader,
  table: ResourceTable,
  query: PageQuery,
  form: "json" | "data",
): Promise<PageRow[]> {
  const { column } = query.order;
  if (query.offset <= FETCH_SKIPPED) {
    const { text, params } = await select(reader, table, query, `${column}, id, encoding, ${form}`);
    return reader.arrays<PageRow>(text, ...params);
  }
  const chosen = await select(reader, table, query, "id");
  const direction = query.order.descending ? "DESC" : "ASC";
  return reader.arrays<PageRow>(
    `SELECT r.${column}, r.id, r.encoding, r.${form}
     FROM (${chosen.text}) chosen JOIN ${table.shape.name} r ON r.id = chosen.id
     ORDER BY ${new Conditions(reader.dialect, table.shape).hidden(`r.${column}`)} ${direction}, r.id ${direction}`,
    ...chosen.params,
  );
}

/**
 * Reads only where the rows of a page stand.
 *
 * @example const [first] = await readPositions(reader, table, { ...query, offset: 5_000, limit: 1 });
 */
export async function readPositions(
  reader: Reader,
  table: ResourceTable,
  query: PageQuery,
): Promise<Position[]> {
  const { text, params } = await select(reader, table, query, `${query.order.column}, id`);
  const rows = await reader.arrays<readonly [string | number, number]>(text, ...params);
  return rows.map(([key, id]) => ({ key, id }));
}

/**
 * How many rows a range has. Without filters that is known without counting.
 *
 * @example const total = await countRange(reader, table, { below: uid, self: false }, []);
 */
export async function countRange(
  reader: Reader,
  table: ResourceTable,
  range: Range,
  filters: readonly Condition[],
): Promise<number> {
  if (filters.length === 0 && !("uids" in range)) {
    const { children, descendants } = await countsOf(reader, table, range);
    if ("childrenOf" in range) return children;
    return descendants + ("below" in range && range.self && table.shape.isPlace ? 1 : 0);
  }
  const { text, params } = where(await counted(reader, table, range, filters));
  const sql = `SELECT count(*) AS total FROM ${table.shape.name}${text}`;
  return (await reader.get<{ total: number }>(sql, ...params))?.total ?? 0;
}

async function counted(
  reader: Reader,
  table: ResourceTable,
  range: Range,
  filters: readonly Condition[],
): Promise<Sql[]> {
  const { columns, terms } = apart(filters);
  const found = await throughTerms(reader, table, range, filters);
  if (found !== undefined) return found;
  const byColumns = await countedByColumns(reader, table, range, columns);
  return [...byColumns, ...tests(reader, table, terms)];
}

async function countedByColumns(
  reader: Reader,
  table: ResourceTable,
  range: Range,
  filters: readonly (Filter | Bound)[],
): Promise<Sql[]> {
  const conditions = new Conditions(reader.dialect, table.shape);
  const exact = filters.filter(isFilter);
  const bound = filters.find((one) => !isFilter(one));
  if ("uids" in range || exact.length > 0) {
    return [...conditions.having(range, exact), ...filters.map((one) => asked(one))];
  }
  if (bound === undefined) return conditions.sorted(range);
  const order: Order = { column: bound.column as Bound["column"], descending: false };
  return [...(await inOrder(reader, table, range, order)).conditions, asked(bound)];
}

function isFilter(condition: Filter | Bound): condition is Filter {
  return "value" in condition;
}

/** Up to this many rows are sorted when read where no index has them in order. */
const SORT_AT_MOST = 10_000;

async function select(
  reader: Reader,
  table: ResourceTable,
  query: PageQuery,
  columns: string,
): Promise<Sql> {
  const { order, limit, offset } = query;
  const { sorts, conditions, through = "" } = await chosen(reader, table, query);
  const { text, params } = where([...conditions, ...startingAt(query)]);
  const direction = order.descending ? "DESC" : "ASC";
  const column = sorts
    ? new Conditions(reader.dialect, table.shape).hidden(order.column)
    : order.column;
  const parting = order.column === "uid" ? "" : `, id ${direction}`;
  return {
    text: `SELECT ${columns} FROM ${table.shape.name}${through}${text} ORDER BY ${column} ${direction}${parting} LIMIT ? OFFSET ?`,
    params: [...params, limit, offset],
  };
}

/** How rows are come by: in their order, or in another one and then sorted. */
interface Way {
  readonly sorts: boolean;
  readonly conditions: readonly Sql[];
  /** Names the index, where SQLite would not choose it. */
  readonly through?: string;
}

async function chosen(reader: Reader, table: ResourceTable, query: PageQuery): Promise<Way> {
  const { columns, terms } = apart(query.filters);
  const found = await throughTerms(reader, table, query.range, query.filters);
  if (found !== undefined) return { sorts: true, conditions: found };
  const way = await chosenByColumns(reader, table, query, columns);
  return { ...way, conditions: [...way.conditions, ...tests(reader, table, terms)] };
}

async function chosenByColumns(
  reader: Reader,
  table: ResourceTable,
  query: PageQuery,
  filters: readonly (Filter | Bound)[],
): Promise<Way> {
  const { range, order } = query;
  const conditions = new Conditions(reader.dialect, table.shape);
  const exact = filters.filter(isFilter);
  if (exact.length > 0) {
    const all = filters.map((one) => asked(one));
    return { sorts: true, conditions: [...conditions.having(range, exact), ...all] };
  }
  const [bound] = filters as readonly Bound[];
  const way = await inOrder(reader, table, range, order);
  if (bound === undefined) return way;
  if (bound.column === order.column) {
    // Where a page begins is within the bound: two limits of one end confuse SQLite.
    const isLimited = query.start !== undefined && !order.descending;
    const column = isLimited ? conditions.hidden(bound.column) : bound.column;
    const through = way.sorts ? "" : conditions.namedIndex(range, order.column);
    return { ...way, through, conditions: [...way.conditions, asked(bound, column)] };
  }
  if (await isRare(reader, table, range, bound)) {
    return { sorts: true, conditions: await counted(reader, table, range, filters) };
  }
  const passed = asked(bound, conditions.hidden(bound.column));
  return { ...way, conditions: [...way.conditions, passed] };
}

/**
 * Whether so few rows are within a bound that finding and sorting them all is less work than going
 * through any order until a page is full: the more there are, the sooner that is.
 */
async function isRare(
  reader: Reader,
  table: ResourceTable,
  range: Range,
  bound: Bound,
): Promise<boolean> {
  if (reader.dialect.name !== "sqlite" || "uids" in range) return true;
  const within = await countRange(reader, table, range, [bound]);
  const all = await countRange(reader, table, range, []);
  return within * within <= all * USUAL_PAGE;
}

const USUAL_PAGE = 50;

async function inOrder(
  reader: Reader,
  table: ResourceTable,
  range: Range,
  order: Order,
): Promise<Way> {
  const conditions = new Conditions(reader.dialect, table.shape);
  const sorts = await isSmallAndUnordered(reader, table, range, order);
  return {
    sorts,
    conditions: sorts ? conditions.sorted(range) : conditions.inOrderOf(range, order.column),
  };
}

/**
 * SQLite keeps no statistics here, so the choice is ours: a small range without an index of its
 * order is read and sorted, a large one is picked out of the order of all that its root holds.
 * PostgreSQL chooses by itself.
 */
async function isSmallAndUnordered(
  reader: Reader,
  table: ResourceTable,
  range: Range,
  order: Order,
): Promise<boolean> {
  if (reader.dialect.name !== "sqlite") return false;
  if ("uids" in range) return true;
  if ("childrenOf" in range) {
    const conditions = new Conditions(reader.dialect, table.shape);
    if (conditions.hasChildrenInOrderOf(order.column)) return false;
    return (await countsOf(reader, table, range)).children <= SORT_AT_MOST;
  }
  if (!("below" in range) || order.column === "uid" || !range.below.includes("/")) return false;
  return (await countsOf(reader, table, range)).descendants <= SORT_AT_MOST;
}
