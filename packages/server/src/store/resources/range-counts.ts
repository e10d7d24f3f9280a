import type { Transaction } from "../db/commit/transaction.ts";
import type { Dialect, Reader } from "../db/connection.ts";
import { Conditions, type Sql, sum, where } from "./conditions.ts";
import { CountChanges, type Counts, countKind, readCounts, readPartitionCounts } from "./counts.ts";
import type { Range, TreeRange } from "./query.ts";
import type { ResourceTable } from "./resource-table.ts";

/**
 * The counts of the node at the top of a range. Named rows have no common node, so they get the counts of
 * the whole tree.
 */
export async function countsOf(
  reader: Reader,
  table: ResourceTable,
  range: Range,
): Promise<Counts> {
  const { name, partitions } = table.shape;
  if (partitions === undefined) return readCounts(reader, name, topOf(range));
  const requested = range.partitions ?? partitions;
  const counts = await readPartitionCounts(reader, name, requested, topOf(range));
  const sum = (of: (one: Counts) => number) =>
    counts.values().reduce((total, one) => total + of(one), 0);
  return {
    children: sum((one) => one.children),
    descendants: sum((one) => one.descendants),
    changes: sum((one) => one.changes),
  };
}

/** The number of rows below a node in all partitions, including those of this transaction. */
export async function countRowsBelow(
  tx: Transaction,
  table: ResourceTable,
  node: string,
): Promise<number> {
  const { name, partitions = [undefined] } = table.shape;
  const { descendants } = await countsOf(tx, table, { below: node, self: false });
  const kinds = partitions.map((partition) => countKind(name, partition));
  const unwritten = [tx.earlierChanges(CountChanges), tx.changes(CountChanges)];
  return unwritten
    .flatMap((counts) => kinds.map((kind) => counts.below(kind, node)))
    .reduce((sum, below) => sum + below, descendants);
}

/** The number of rows in a range, without a look at them; not for named rows. */
export async function rangeSize(
  reader: Reader,
  table: ResourceTable,
  range: Range,
): Promise<number> {
  return rowsAt(table, range, await countsOf(reader, table, range));
}

/** The number of rows in a range with these counts. */
function rowsAt(
  { shape }: ResourceTable,
  range: TreeRange,
  { children, descendants }: Pick<Counts, "children" | "descendants">,
): number {
  if ("childrenOf" in range) return children;
  return descendants + ("below" in range && range.self && shape.isScope ? 1 : 0);
}

/** The number of rows in ranges as an expression, so that it can be part of the statement that reads them. */
export function sizeOfRanges(
  dialect: Dialect,
  table: ResourceTable,
  ranges: readonly Range[],
): Sql {
  const named = ranges.filter((range) => "uids" in range);
  const counted = ranges.filter((range) => !("uids" in range));
  const groups = Map.groupBy(counted, (one) => `${numberOf(one)} ${one.partitions?.join() ?? ""}`);
  // As `rowsAt` adds them up.
  const own = counted.reduce((rows, range) => rows + rowsAt(table, range, NO_ROWS), 0);
  return sum([
    ...(own === 0 ? [] : [{ text: String(own), params: [] }]),
    ...groups.values().map((some) => countedRows(dialect, table, some)),
    ...named.map((range): Sql => {
      const { text, params } = where(new Conditions(dialect, table.shape).inAnyOrder(range));
      return { text: `(SELECT count(*) FROM ${table.shape.name}${text})`, params };
    }),
  ]);
}

const NO_ROWS = { children: 0, descendants: 0 };

function numberOf(range: TreeRange): "children" | "descendants" {
  return "childrenOf" in range ? "children" : "descendants";
}

/** The rows that the counts have for ranges of the same form and partitions. */
function countedRows(
  { asInteger, texts }: Dialect,
  { shape }: ResourceTable,
  ranges: readonly Range[],
): Sql {
  const [first] = ranges as [Range];
  const partitions = first.partitions ?? shape.partitions;
  const kinds = partitions?.map((one) => countKind(shape.name, one)) ?? [shape.name];
  const kind = kinds.length === 1 ? "kind = ?" : `kind IN (${kinds.map(() => "?").join(", ")})`;
  const number = numberOf(first);
  if (ranges.length === 1 && kinds.length === 1) {
    const text = `coalesce((SELECT ${number} FROM counts WHERE uid = ? AND ${kind}), 0)`;
    return { text, params: [topOf(first), ...kinds] };
  }
  const total = asInteger(`coalesce(sum(${number}), 0)`);
  return {
    text: `(SELECT ${total} FROM counts WHERE uid IN (${texts}) AND ${kind})`,
    params: [JSON.stringify(ranges.map(topOf)), ...kinds],
  };
}

/** The node at the top of a range. */
export function topOf(range: TreeRange): string {
  if ("below" in range) return range.below;
  return "childrenOf" in range ? range.childrenOf : "";
}

/** Splits a range by partition. Also empty ones: a row may come to one before the range is read. */
export async function partitionRanges(
  reader: Reader,
  table: ResourceTable,
  range: TreeRange,
  requested: readonly number[],
): Promise<Range[]> {
  if ("uids" in range) return [{ ...range, partitions: requested }];
  const region = (await isParent(reader, table, range)) ? { childrenOf: topOf(range) } : range;
  return requested.map((partition) => ({ ...region, partitions: [partition] }));
}

/**
 * Whether the rows below the top of a range are its children, for which more orders are indexed: where parents are not
 * below one another, one with a child has no other descendants.
 */
async function isParent(reader: Reader, table: ResourceTable, range: TreeRange): Promise<boolean> {
  if (table.shape.isInGroups || !("below" in range)) return false;
  return (await countsOf(reader, table, range)).children > 0;
}
