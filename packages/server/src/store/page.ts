import { rootOf } from "@wharf/contract";
import type { Reader, Value } from "./connection.ts";
import { type Counts, readCounts } from "./counts.ts";
import type { Filter, ResourceTable } from "./resource-table.ts";

/** A part of a table: everything, a subtree, the children of one place, or named rows. */
export type Range =
  | { readonly everything: true }
  | { readonly below: string; readonly self: boolean }
  | { readonly childrenOf: string }
  | { readonly uids: readonly string[] };

export interface Order {
  readonly column: "uid" | "name" | "created" | "updated";
  readonly descending: boolean;
}

/** Where a row stands in its order: the value ordered by, and the row's number among equals. */
export interface Position {
  readonly key: string | number;
  readonly id: number;
}

export interface PageQuery {
  readonly range: Range;
  readonly filters: readonly Filter[];
  readonly order: Order;
  /** Begin after this row, or with it. */
  readonly start?: (Position & { readonly inclusive: boolean }) | undefined;
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
     ORDER BY ${offIndex(reader, `r.${column}`)} ${direction}, r.id ${direction}`,
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
  filters: readonly Filter[],
): Promise<number> {
  if (filters.length === 0 && !("uids" in range)) {
    const { children, descendants } = await countsOf(reader, table, range);
    if ("childrenOf" in range) return children;
    return descendants + ("below" in range && range.self && table.shape.isPlace ? 1 : 0);
  }
  const conditions = [
    ...rangeConditions(reader, table, range, "uid", false),
    ...filterConditions(filters),
  ];
  const { text, params } = where(conditions);
  const sql = `SELECT count(*) AS total FROM ${table.shape.name}${text}`;
  return (await reader.get<{ total: number }>(sql, ...params))?.total ?? 0;
}

/**
 * The counts of the place that a range hangs on. Named rows hang on no one place, so they take
 * those of the place above everything.
 *
 * @example const { changes } = await countsOf(reader, table, { everything: true });
 */
export function countsOf(reader: Reader, table: ResourceTable, range: Range): Promise<Counts> {
  const place = "below" in range ? range.below : "childrenOf" in range ? range.childrenOf : "";
  return readCounts(reader, table.shape.name, place);
}

interface Sql {
  readonly text: string;
  readonly params: readonly Value[];
}

/** Up to this many rows are sorted when read where no index has them in order. */
const SORT_AT_MOST = 10_000;

async function select(
  reader: Reader,
  table: ResourceTable,
  query: PageQuery,
  columns: string,
): Promise<Sql> {
  const { order, range, filters, limit, offset } = query;
  const sorts = filters.length > 0 || (await isSmallAndUnordered(reader, table, range, order));
  const conditions = [
    ...rangeConditions(reader, table, range, order.column, sorts),
    ...filterConditions(filters),
    ...startConditions(query),
  ];
  const { text, params } = where(conditions);
  const direction = order.descending ? "DESC" : "ASC";
  const by = `${sorts ? offIndex(reader, order.column) : order.column} ${direction}`;
  const parting = order.column === "uid" ? "" : `, id ${direction}`;
  return {
    text: `SELECT ${columns} FROM ${table.shape.name}${text} ORDER BY ${by}${parting} LIMIT ? OFFSET ?`,
    params: [...params, limit, offset],
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
    if (order.column === "name") return false;
    return (await countsOf(reader, table, range)).children <= SORT_AT_MOST;
  }
  if (!("below" in range) || order.column === "uid" || !range.below.includes("/")) return false;
  return (await countsOf(reader, table, range)).descendants <= SORT_AT_MOST;
}

/** Names a column in a way that keeps SQLite from choosing its index. */
function offIndex(reader: Reader, column: string): string {
  return reader.dialect.name === "sqlite" ? `+${column}` : column;
}

function rangeConditions(
  reader: Reader,
  table: ResourceTable,
  range: Range,
  orderedBy: Order["column"],
  sorts: boolean,
): Sql[] {
  if ("everything" in range) return [];
  if ("uids" in range) {
    return [{ text: `uid IN (${range.uids.map(() => "?").join(", ")})`, params: range.uids }];
  }
  const byUid = orderedBy === "uid";
  if ("childrenOf" in range) {
    const { childrenOf } = range;
    if (sorts || orderedBy === "name") return [{ text: "parent = ?", params: [childrenOf] }];
    const { uidIsParent } = table.shape;
    const among =
      childrenOf === ""
        ? []
        : byUid
          ? [subtree("uid", childrenOf, uidIsParent)]
          : [root(childrenOf)];
    return [...among, { text: `${offIndex(reader, "parent")} = ?`, params: [childrenOf] }];
  }
  const { below } = range;
  // What goes by the uid of its place is below that place.
  const self = range.self || table.shape.uidIsParent;
  if (byUid || sorts) return [subtree("uid", below, self)];
  if (below.includes("/")) return [root(below), subtree(offIndex(reader, "uid"), below, self)];
  if (self || !table.shape.isPlace) return [root(below)];
  // The root itself is left out by its number, which every index holds, so that the index alone answers.
  const itself = `id <> (SELECT id FROM ${table.shape.name} WHERE uid = ?)`;
  return [root(below), { text: itself, params: [below] }];
}

/** "/" sorts just before "0", and no uid has anything between its own end and its children's "/". */
function subtree(column: string, below: string, self: boolean): Sql {
  return {
    text: `${column} >= ? AND ${column} < ?`,
    params: [self ? below : `${below}/`, `${below}0`],
  };
}

function root(uid: string): Sql {
  return { text: "root = ?", params: [rootOf(uid)] };
}

function filterConditions(filters: readonly Filter[]): Sql[] {
  return filters.map(({ column, value }) => ({ text: `${column} = ?`, params: [value] }));
}

function startConditions({ start, order }: PageQuery): Sql[] {
  if (start === undefined) return [];
  const than = `${order.descending ? "<" : ">"}${start.inclusive ? "=" : ""}`;
  if (order.column === "uid") return [{ text: `uid ${than} ?`, params: [start.key] }];
  return [{ text: `(${order.column}, id) ${than} (?, ?)`, params: [start.key, start.id] }];
}

function where(conditions: readonly Sql[]): Sql {
  if (conditions.length === 0) return { text: "", params: [] };
  return {
    text: ` WHERE ${conditions.map((condition) => condition.text).join(" AND ")}`,
    params: conditions.flatMap((condition) => condition.params),
  };
}
