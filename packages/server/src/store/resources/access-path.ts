/**
 * How a list reaches its rows. PostgreSQL plans by itself and gets the plain conditions. SQLite keeps no
 * statistics here, so the path is chosen by these rules, the first that applies:
 *
 * 1. A search term that few rows have: find them by the term and sort (term-path.ts).
 * 2. A column that must have a value: find the rows in the index of the column and sort.
 * 3. A time bound on another column than the order's that selects few rows: find them in the index of
 *    that time and sort.
 * 4. Otherwise walk the range in the requested order and test each row, until the page is full. The walk
 *    uses the index with that order; a small range without such an index is read and sorted.
 */
import type { Reader } from "../db/connection.ts";
import { Conditions, columnTest, type Sql, where } from "./conditions.ts";
import type { Bound, Condition, Filter, Order, PageQuery, Range } from "./query.ts";
import { countsOf, isDense, rangeSize, rowsAt } from "./range-counts.ts";
import type { ResourceTable } from "./resource-table.ts";
import { splitConditions, termPath, termTests } from "./term-path.ts";

export interface AccessPath {
  readonly conditions: readonly Sql[];
  /** Whether the rows are found in another order than the requested one. */
  readonly sorts: boolean;
  /** Names the index, where SQLite would choose another. */
  readonly indexHint?: string;
}

/** Ranges up to this size are sorted when read, where no index has their order, nor one of their own. */
const MAX_SORTED_ROWS = 50_000;

const TYPICAL_PAGE_SIZE = 50;

/** The path to a page of rows. */
export async function pagePath(
  reader: Reader,
  table: ResourceTable,
  query: PageQuery,
): Promise<AccessPath> {
  const byTerm = await termPath(reader, table, query.range, query.filters);
  if (byTerm !== undefined) return { sorts: true, conditions: byTerm };
  const { columns, terms } = splitConditions(query.filters);
  const path = await columnPath(reader, table, query, columns);
  return { ...path, conditions: [...path.conditions, ...termTests(reader, table, terms)] };
}

/** The conditions that select all rows of a range, to be counted: in no order. */
export async function countPath(
  reader: Reader,
  table: ResourceTable,
  range: Range,
  filters: readonly Condition[],
): Promise<readonly Sql[]> {
  const byTerm = await termPath(reader, table, range, filters);
  if (byTerm !== undefined) return byTerm;
  const { columns, terms } = splitConditions(filters);
  const byColumn = await unorderedColumnPath(reader, table, range, columns);
  return [...byColumn, ...termTests(reader, table, terms)];
}

/** Rules 2 to 4. */
async function columnPath(
  reader: Reader,
  table: ResourceTable,
  query: PageQuery,
  filters: readonly (Filter | Bound)[],
): Promise<AccessPath> {
  const { range, order } = query;
  const conditions = new Conditions(reader.dialect, table.shape);
  const values = filters.filter(isFilter);
  if (values.length > 0) return { sorts: true, conditions: byValue(conditions, range, filters) };

  // A list has one time bound at most.
  const [bound] = filters as readonly Bound[];
  const walk = await orderedWalk(reader, table, range, order);
  if (bound === undefined) return walk;
  if (bound.column === order.column) return boundedWalk(conditions, query, walk, bound);
  if (await isSelective(reader, table, range, bound)) {
    return { sorts: true, conditions: await unorderedColumnPath(reader, table, range, [bound]) };
  }
  const test = columnTest(bound, conditions.hidden(bound.column));
  return { ...walk, conditions: [...walk.conditions, test] };
}

async function unorderedColumnPath(
  reader: Reader,
  table: ResourceTable,
  range: Range,
  filters: readonly (Filter | Bound)[],
): Promise<readonly Sql[]> {
  const conditions = new Conditions(reader.dialect, table.shape);
  if ("uids" in range || filters.some(isFilter)) return byValue(conditions, range, filters);
  const [bound] = filters as readonly Bound[];
  if (bound === undefined) return conditions.inAnyOrder(range);
  const walk = await orderedWalk(reader, table, range, { column: bound.column, descending: false });
  return [...walk.conditions, columnTest(bound)];
}

function byValue(
  conditions: Conditions,
  range: Range,
  filters: readonly (Filter | Bound)[],
): readonly Sql[] {
  const tests = filters.map((one) => columnTest(one));
  return [...conditions.byValue(range, filters.filter(isFilter)), ...tests];
}

/** A walk in the order of a time that is bounded as well: the bound limits the walk. */
function boundedWalk(
  conditions: Conditions,
  { range, order, start }: PageQuery,
  walk: AccessPath,
  bound: Bound,
): AccessPath {
  // A page of an ascending list starts within the bound. SQLite must not see both lower limits: it
  // seeks by the first it is given.
  const isLimitedByStart = start !== undefined && !order.descending;
  const column = isLimitedByStart ? conditions.hidden(bound.column) : bound.column;
  return {
    ...walk,
    indexHint: walk.sorts ? "" : conditions.indexHint(range, order.column),
    conditions: [...walk.conditions, columnTest(bound, column)],
  };
}

/**
 * Whether a bound selects so few rows that finding and sorting all of them costs less than walking another
 * order until a page is full. Of n rows with m selected, a page of p takes a walk over p·n/m rows, so
 * sorting wins while m² ≤ p·n.
 */
async function isSelective(
  reader: Reader,
  table: ResourceTable,
  range: Range,
  bound: Bound,
): Promise<boolean> {
  if (reader.dialect.name !== "sqlite" || "uids" in range) return true;
  const path = await unorderedColumnPath(reader, table, range, [bound]);
  const selected = await countRows(reader, table, path);
  const all = await rangeSize(reader, table, range);
  return selected * selected <= all * TYPICAL_PAGE_SIZE;
}

/** The number of rows that meet all conditions. */
export async function countRows(
  reader: Reader,
  table: ResourceTable,
  conditions: readonly Sql[],
): Promise<number> {
  const { text, params } = where(conditions);
  const sql = `SELECT count(*) AS total FROM ${table.shape.name}${text}`;
  return (await reader.get<{ total: number }>(sql, ...params))?.total ?? 0;
}

async function orderedWalk(
  reader: Reader,
  table: ResourceTable,
  range: Range,
  order: Order,
): Promise<AccessPath> {
  const conditions = new Conditions(reader.dialect, table.shape);
  const sorts = await mustSort(reader, table, range, order);
  return {
    sorts,
    conditions: sorts ? conditions.inAnyOrder(range) : conditions.inOrderOf(range, order.column),
  };
}

/**
 * Whether SQLite reads a range and sorts it: no index has the range in its order, and it is small. A large
 * one is filtered out of the ordered rows of its whole root, until its own index is built (list-index.ts).
 */
async function mustSort(
  reader: Reader,
  table: ResourceTable,
  range: Range,
  order: Order,
): Promise<boolean> {
  if (reader.dialect.name !== "sqlite") return false;
  if ("uids" in range) return true;
  const conditions = new Conditions(reader.dialect, table.shape);
  if (conditions.hasInOrderOf(range, order.column)) return false;
  const counts = await countsOf(reader, table, range);
  if (isDense(range, order.column, counts)) return false;
  return rowsAt(table, range, counts) <= MAX_SORTED_ROWS;
}

function isFilter(condition: Filter | Bound): condition is Filter {
  return "value" in condition;
}
