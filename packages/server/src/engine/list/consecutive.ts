import type { Reader } from "../../store/db/connection.ts";
import { countRange } from "../../store/resources/page.ts";
import type { Range, Start } from "../../store/resources/query.ts";
import type { PageRow } from "../../store/resources/rows.ts";
import type { Scan } from "./scan.ts";

/** Reads the rows of a list. */
export type ReadRows = (scan: Scan) => Promise<PageRow[]>;

/**
 * Whether the ranges of a list are consecutive: ordered by uid, a subtree ends before the next one
 * begins. Such a list needs no merge: it is read from the range where its page begins to the one where
 * it ends.
 */
export function isConsecutive({ ranges, order, start, skip, filters }: Scan): boolean {
  if (order.column !== "uid") return false;
  // Counts tell how many rows to skip only from the beginning of a range, and without filters.
  if (skip > 0 && (start !== undefined || filters.length > 0)) return false;
  return ranges.every((range, at) => {
    if (!("below" in range) || range.partitions !== undefined) return false;
    const before = ranges[at - 1];
    return before === undefined || ("below" in before && before.below < range.below);
  });
}

/** Reads the rows of a list with consecutive ranges; `readOne` reads a list with one range. */
export async function readConsecutive(
  reader: Reader,
  scan: Scan,
  readOne: ReadRows,
): Promise<PageRow[]> {
  const rows: PageRow[] = [];
  let { skip } = scan;
  for (const range of scan.order.descending ? scan.ranges.toReversed() : scan.ranges) {
    if (isBefore(range, scan.start, scan.order.descending)) continue;
    await scan.task.pause();
    const count = skip > 0 ? await countRange(reader, scan.table, range, []) : 0;
    if (skip > 0 && count <= skip) {
      skip -= count;
      continue;
    }
    const limit = scan.limit - rows.length;
    rows.push(...(await readOne({ ...scan, ranges: [range], skip, limit })));
    skip = 0;
    if (rows.length >= scan.limit) break;
  }
  return rows;
}

/** Whether all rows of a range are before the start of a page. */
function isBefore(range: Range, start: Start | undefined, descending: boolean): boolean {
  if (start === undefined || !("below" in range)) return false;
  const key = String(start.key);
  return descending ? range.below > key : `${range.below}0` <= key;
}
