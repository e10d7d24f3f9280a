import type { Reader } from "../db/connection.ts";
import { type Counts, readCounts, readPartitionCounts } from "./counts.ts";
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
  const { children, descendants } = await countsOf(reader, table, range);
  if ("childrenOf" in range) return children;
  return descendants + ("below" in range && range.self && table.shape.isScope ? 1 : 0);
}

function topOf(range: TreeRange): string {
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
