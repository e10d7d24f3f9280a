/**
 * Access path of a list. PostgreSQL plans by itself and gets the plain conditions. SQLite keeps no
 * statistics here, so the path is chosen by these rules, the first that applies:
 *
 * 1. A search term that few rows have: find them by the term and sort (terms/term-path.ts).
 * 2. A column that must have a value: find the rows in the index of the column and sort.
 * 3. A time bound or a prefix of names, on another column than the order's, that selects few rows: find
 *    them in the index of that column and sort.
 * 4. Otherwise walk the range by the index with the requested order, and test each row, until the page is full. Where no
 *    index has the range in that order: walk the order of the rows around it by an index-only scan, or read and sort the
 *    range, whichever costs less at worst.
 */
import { rootOf } from "@wharf/contract";
import type { Reader } from "../db/connection.ts";
import { Conditions, columnTest, type Sql } from "./conditions.ts";
import { countRows, FEW_ROWS, readerForAll } from "./cost.ts";
import type {
  Bound,
  ColumnCondition,
  Condition,
  Filter,
  Order,
  PageQuery,
  Prefix,
  Range,
} from "./query.ts";
import { rangeSize, topOf } from "./range-counts.ts";
import type { ResourceTable } from "./resource-table.ts";
import { splitConditions, termPath, termTests } from "./terms/term-path.ts";

export interface AccessPath {
  readonly conditions: readonly Sql[];
  /** Whether the rows are found in another order than the requested one. */
  readonly sorts: boolean;
  /** Names the index, where SQLite would choose another. */
  readonly indexHint?: string;
}

/** The cost of reading a row and sorting it, in rows of an index-only scan: 1.5 to 3 µs, and 0.2. */
const SORT_COST = 8;

/** Ranges up to this size are read where a value is had by more rows. */
const MAX_SMALL_RANGE = 1_000;

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
  return tested(path, termTests(reader, table, terms));
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
  filters: readonly ColumnCondition[],
): Promise<AccessPath> {
  const { range, order } = query;
  const conditions = new Conditions(reader.dialect, table.shape);
  if (filters.some(isFilter)) {
    return { sorts: true, conditions: await valuePath(reader, table, range, filters) };
  }
  const { lead, others } = leading(filters as readonly Limit[], order.column);
  const tests = others.map((one) => columnTest(one, conditions.hidden(one.column)));
  if (lead === undefined) return orderedWalk(reader, table, range, order);
  if (lead.column === order.column) {
    const walk = await limitedWalk(reader, table, query, lead);
    return tested(boundedWalk(conditions, query, walk, lead), tests);
  }
  if (await isSelective(reader, table, range, lead)) {
    const found = await unorderedColumnPath(reader, table, range, [lead]);
    return { sorts: true, conditions: [...found, ...tests] };
  }
  const walk = await orderedWalk(reader, table, range, order);
  return tested(walk, [columnTest(lead, conditions.hidden(lead.column)), ...tests]);
}

/** A condition that selects a stretch of an order. */
type Limit = Bound | Prefix;

/** The condition that finds the rows, and those that test them: that on the order, or else on names, comes first. */
function leading(
  limits: readonly Limit[],
  order: Order["column"],
): { readonly lead: Limit | undefined; readonly others: readonly Limit[] } {
  const on = (column: Order["column"]) => limits.find((one) => one.column === column);
  const lead = on(order) ?? on("name") ?? limits[0];
  return { lead, others: limits.filter((one) => one !== lead) };
}

async function unorderedColumnPath(
  reader: Reader,
  table: ResourceTable,
  range: Range,
  filters: readonly ColumnCondition[],
): Promise<readonly Sql[]> {
  const conditions = new Conditions(reader.dialect, table.shape);
  if ("uids" in range || filters.some(isFilter)) return valuePath(reader, table, range, filters);
  const { lead, others } = leading(filters as readonly Limit[], "name");
  if (lead === undefined) return conditions.inAnyOrder(range);
  const order = { column: lead.column, descending: false };
  const walk = await limitedWalk(reader, table, { range, order }, lead);
  // A range that is read by uid: SQLite must not prefer the other index.
  const isHidden = walk.sorts && "prefix" in lead;
  return [
    ...walk.conditions,
    columnTest(lead, isHidden ? conditions.hidden(lead.column) : lead.column),
    ...others.map((one) => columnTest(one, conditions.hidden(one.column))),
  ];
}

/** A range in the order of a column of which a stretch is wanted. */
async function limitedWalk(
  reader: Reader,
  table: ResourceTable,
  { range, order }: Pick<PageQuery, "range" | "order">,
  limit: Limit,
): Promise<AccessPath> {
  const walk = await orderedWalk(reader, table, range, order);
  if (!walk.sorts || "uids" in range || !("prefix" in limit)) return walk;
  // The names of all rows around the range, if few of them begin with the text.
  const conditions = new Conditions(reader.dialect, table.shape);
  const names = [...conditions.inOrderOf(stretchOf(range, "name"), "name"), columnTest(limit)];
  if ((await countRows(reader, table, names, FEW_ROWS + 1)) > FEW_ROWS) return walk;
  return { sorts: false, conditions: conditions.inOrderOf(range, "name") };
}

/** The rows of a range that have values, by the index of a value, or of the range if that has fewer rows. */
async function valuePath(
  reader: Reader,
  table: ResourceTable,
  range: Range,
  filters: readonly ColumnCondition[],
): Promise<readonly Sql[]> {
  const conditions = new Conditions(reader.dialect, table.shape);
  const values = filters.filter(isFilter);
  if (await isRarer(reader, table, range, values)) {
    const tests = filters.map((one) => columnTest(one, conditions.hidden(one.column)));
    return [...conditions.inAnyOrder(range), ...tests];
  }
  return [...conditions.byValue(range, values), ...filters.map((one) => columnTest(one))];
}

/** Whether a range is small, and each of the values is had by more rows of the table. */
async function isRarer(
  reader: Reader,
  table: ResourceTable,
  range: Range,
  values: readonly Filter[],
): Promise<boolean> {
  if (reader.dialect.name !== "sqlite" || "uids" in range) return false;
  const size = await rangeSize(reader, table, range);
  if (size > MAX_SMALL_RANGE) return false;
  const [partition] = range.partitions ?? [];
  for (const one of values) {
    if (one.column === "parent" || !(await table.hasMany(reader, one, partition, size)))
      return false;
  }
  return true;
}

/** A walk in the order of a column of which a stretch is wanted: its ends limit the walk. */
function boundedWalk(
  conditions: Conditions,
  { range, order, start }: PageQuery,
  walk: AccessPath,
  limit: Limit,
): AccessPath {
  // A page starts within the stretch. SQLite must not see two limits of one end: it seeks by the first it is
  // given. Where rows are found by uid, it must see none.
  const hidden = conditions.hidden(limit.column);
  const isAscending = !order.descending;
  const isByUid = walk.sorts && "prefix" in limit;
  const from = isByUid || (start !== undefined && isAscending) ? hidden : limit.column;
  const to = isByUid || (start !== undefined && !isAscending) ? hidden : limit.column;
  const indexHint = walk.sorts ? "" : conditions.indexHint(range, order.column);
  return { ...tested(walk, [columnTest(limit, from, to)]), indexHint };
}

/** The same path, with tests of the rows that it finds. */
function tested(path: AccessPath, tests: readonly Sql[]): AccessPath {
  return { ...path, conditions: [...path.conditions, ...tests] };
}

/**
 * Whether a condition selects so few rows that finding and sorting all of them costs less than walking another
 * order until a page is full. Of n rows with m selected, a page of p takes a walk over p·n/m rows, so
 * sorting wins while m² ≤ p·n.
 */
async function isSelective(
  reader: Reader,
  table: ResourceTable,
  range: Range,
  limit: Limit,
): Promise<boolean> {
  if (reader.dialect.name !== "sqlite" || "uids" in range) return true;
  const path = await unorderedColumnPath(reader, table, range, [limit]);
  const counting = await readerForAll(reader, table, range, [limit]);
  const most = Math.sqrt((await rangeSize(reader, table, range)) * TYPICAL_PAGE_SIZE);
  return (await countRows(counting, table, path, Math.floor(most) + 1)) <= most;
}

/** A range in its order (rule 4). */
async function orderedWalk(
  reader: Reader,
  table: ResourceTable,
  range: Range,
  order: Order,
): Promise<AccessPath> {
  const conditions = new Conditions(reader.dialect, table.shape);
  const inOrder = { sorts: false, conditions: conditions.inOrderOf(range, order.column) };
  if (reader.dialect.name !== "sqlite") return inOrder;
  if (conditions.hasInOrderOf(range, order.column)) return inOrder;
  const sorted = { sorts: true, conditions: conditions.inAnyOrder(range) };
  if ("uids" in range) return sorted;
  const size = await rangeSize(reader, table, range);
  const around = await rangeSize(reader, table, stretchOf(range, order.column));
  return around <= size * SORT_COST ? inOrder : sorted;
}

/** The rows that an index has in an order, among which a range is. */
function stretchOf(range: Range, column: Order["column"]): Range {
  const partitions = range.partitions === undefined ? {} : { partitions: range.partitions };
  const top = topOf(range);
  if (top === "") return { everything: true, ...partitions };
  return { below: column === "uid" ? top : rootOf(top), self: true, ...partitions };
}

function isFilter(condition: ColumnCondition): condition is Filter {
  return "value" in condition;
}
