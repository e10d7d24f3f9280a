import { asked, Conditions, type Sql, startingAt, where } from "./conditions.ts";
import type { Reader } from "./connection.ts";
import { type Counts, readCounts, readPartCounts } from "./counts.ts";
import type { Condition, Filter, ResourceTable } from "./resource-table.ts";

/** A stretch of the tree: everything, a subtree, the children of one place, or named rows. */
export type Stretch =
  | { readonly everything: true }
  | { readonly below: string; readonly self: boolean }
  | { readonly childrenOf: string }
  | { readonly uids: readonly string[] };

/**
 * The rows of a table on a stretch of the tree. Where the table has parts: those of one part, or,
 * of named rows, of several.
 */
export type Range = Stretch & { readonly parts?: readonly number[] };

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
  const conditions = new Conditions(reader.dialect, table.shape);
  const exact = filters.filter(isFilter);
  const bound = filters.find((one) => !isFilter(one));
  if (exact.length > 0 || bound === undefined || "uids" in range) {
    return [...conditions.having(range, exact), ...filters.map((one) => asked(one))];
  }
  const order = { column: bound.column as Order["column"], descending: false };
  return [...(await inOrder(reader, table, range, order)).conditions, asked(bound)];
}

function isFilter(condition: Condition): condition is Filter {
  return "value" in condition;
}

/**
 * The counts of the place that a range hangs on. Named rows hang on no one place, so they take
 * those of the place above everything.
 *
 * @example const { changes } = await countsOf(reader, table, { everything: true });
 */
export async function countsOf(
  reader: Reader,
  table: ResourceTable,
  range: Range,
): Promise<Counts> {
  const { name, parts } = table.shape;
  if (parts === undefined) return readCounts(reader, name, placeOf(range));
  const counts = await readPartCounts(reader, name, range.parts ?? parts, placeOf(range));
  const sum = (of: (one: Counts) => number) =>
    counts.values().reduce((total, one) => total + of(one), 0);
  return {
    children: sum((one) => one.children),
    descendants: sum((one) => one.descendants),
    changes: sum((one) => one.changes),
  };
}

function placeOf(stretch: Stretch): string {
  if ("below" in stretch) return stretch.below;
  return "childrenOf" in stretch ? stretch.childrenOf : "";
}

/**
 * The ranges that have the wanted parts of a stretch: one for each part that has any rows there.
 *
 * @example const ranges = await rangesOfParts(reader, table, { childrenOf: repo }, [0, 4]);
 */
export async function rangesOfParts(
  reader: Reader,
  table: ResourceTable,
  stretch: Stretch,
  wanted: readonly number[],
): Promise<Range[]> {
  if ("uids" in stretch) return [{ ...stretch, parts: wanted }];
  const place = placeOf(stretch);
  const counts = await readPartCounts(reader, table.shape.name, wanted, place);
  return wanted.flatMap((part): Range[] => {
    const { children, descendants } = counts.get(part) ?? { children: 0, descendants: 0 };
    if (("childrenOf" in stretch ? children : descendants) === 0) return [];
    // Children have more orders in indexes than what is anywhere below.
    const allAreChildren = "below" in stretch && children === descendants;
    return [{ ...(allAreChildren ? { childrenOf: place } : stretch), parts: [part] }];
  });
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
  const { range, filters, order } = query;
  const conditions = new Conditions(reader.dialect, table.shape);
  const exact = filters.filter(isFilter);
  if (exact.length > 0) {
    const all = filters.map((one) => asked(one));
    return { sorts: true, conditions: [...conditions.having(range, exact), ...all] };
  }
  const [bound] = filters;
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
  bound: Condition,
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
