import type { Reader } from "../db/connection.ts";
import { type Counts, readCounts, readPartitionCounts } from "./counts.ts";
import type { Range, TreeRange } from "./page.ts";
import type { ResourceTable } from "./resource-table.ts";

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
  const counts = await readPartitionCounts(reader, name, range.parts ?? parts, placeOf(range));
  const sum = (of: (one: Counts) => number) =>
    counts.values().reduce((total, one) => total + of(one), 0);
  return {
    children: sum((one) => one.children),
    descendants: sum((one) => one.descendants),
    changes: sum((one) => one.changes),
  };
}

function placeOf(stretch: TreeRange): string {
  if ("below" in stretch) return stretch.below;
  return "childrenOf" in stretch ? stretch.childrenOf : "";
}

/**
 * The ranges that have the wanted parts of a stretch: one for each part that has any rows there.
 *
 * @example const ranges = await partitionRanges(reader, table, { childrenOf: repo }, [0, 4]);
 */
export async function partitionRanges(
  reader: Reader,
  table: ResourceTable,
  stretch: TreeRange,
  wanted: readonly number[],
): Promise<Range[]> {
  if ("uids" in stretch) return [{ ...stretch, parts: wanted }];
  const place = placeOf(stretch);
  const counts = await readPartitionCounts(reader, table.shape.name, wanted, place);
  return wanted.flatMap((part): Range[] => {
    const { children, descendants } = counts.get(part) ?? { children: 0, descendants: 0 };
    if (("childrenOf" in stretch ? children : descendants) === 0) return [];
    // Children have more orders in indexes than what is anywhere below.
    const allAreChildren = "below" in stretch && children === descendants;
    return [{ ...(allAreChildren ? { childrenOf: place } : stretch), parts: [part] }];
  });
}
