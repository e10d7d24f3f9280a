import { isRoot } from "@wharf/contract";
import type { Reader } from "../db/connection.ts";
import type { Sql } from "./conditions.ts";
import { type Counts, readCounts, readPartitionCounts } from "./counts.ts";
import type { Order, Range, TreeRange } from "./query.ts";
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
  const wanted = range.partitions ?? partitions;
  const counts = await readPartitionCounts(reader, name, wanted, topOf(range));
  const sum = (of: (one: Counts) => number) =>
    counts.values().reduce((total, one) => total + of(one), 0);
  return {
    children: sum((one) => one.children),
    descendants: sum((one) => one.descendants),
    changes: sum((one) => one.changes),
  };
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
export function rowsAt(
  { shape }: ResourceTable,
  range: TreeRange,
  { children, descendants }: Pick<Counts, "children" | "descendants">,
): number {
  if ("childrenOf" in range) return children;
  return descendants + ("below" in range && range.self && shape.isScope ? 1 : 0);
}

/**
 * The number of rows in a range as a column of a statement that reads them, so that both are of one snapshot; undefined
 * where one row of the counts does not have it.
 */
export function sizeColumn(table: ResourceTable, range: Range): Sql | undefined {
  const { shape } = table;
  if ("uids" in range || shape.partitions !== undefined) return undefined;
  // As `rowsAt` adds them up.
  const own = rowsAt(table, range, { children: 0, descendants: 0 });
  const number = "childrenOf" in range ? "children" : `descendants + ${own}`;
  return {
    text: `COALESCE((SELECT ${number} FROM counts WHERE uid = ? AND kind = ?), ${own})`,
    params: [topOf(range), shape.name],
  };
}

/** Rows that a walk may read in vain: about a page takes as long. */
const MAX_WASTED_ROWS = 200;

/**
 * Whether the children of a group are nearly all rows of a stretch that an index has in this order: of
 * the subtree for uids, of the root for times.
 */
export function isDense(
  range: TreeRange,
  column: Order["column"],
  { children, descendants }: Pick<Counts, "children" | "descendants">,
): boolean {
  if (!("childrenOf" in range) || range.childrenOf === "") return false;
  if (column !== "uid" && !isRoot(range.childrenOf)) return false;
  const others = descendants - children;
  return others <= MAX_WASTED_ROWS && others < children;
}

/** The node at the top of a range. */
export function topOf(range: TreeRange): string {
  if ("below" in range) return range.below;
  return "childrenOf" in range ? range.childrenOf : "";
}

/** Splits a range by partition: one range for each wanted partition that has rows there. */
export async function partitionRanges(
  reader: Reader,
  table: ResourceTable,
  range: TreeRange,
  wanted: readonly number[],
): Promise<Range[]> {
  if ("uids" in range) return [{ ...range, partitions: wanted }];
  const top = topOf(range);
  const counts = await readPartitionCounts(reader, table.shape.name, wanted, top);
  return wanted.flatMap((partition): Range[] => {
    const { children, descendants } = counts.get(partition) ?? { children: 0, descendants: 0 };
    if (("childrenOf" in range ? children : descendants) === 0) return [];
    // More orders are indexed for children than for subtrees.
    const allAreChildren = "below" in range && children === descendants;
    return [{ ...(allAreChildren ? { childrenOf: top } : range), partitions: [partition] }];
  });
}
