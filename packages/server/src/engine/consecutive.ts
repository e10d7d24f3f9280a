import type { Reader } from "../store/db/connection.ts";
import { countRange } from "../store/resources/page.ts";
import type { Range, Start } from "../store/resources/query.ts";
import type { PageRow } from "../store/resources/rows.ts";
import { rowsIn } from "./many-ranges.ts";
import type { Scan } from "./scan.ts";

/** Reads the rows of a list. */
export type ReadRows = (scan: Scan) => Promise<PageRow[]>;

/**
 * Whether the rows of a list come range by range: in the order of uids a subtree ends before the next
 * one begins. Such a list is read from the range where its page begins to the one where it ends.
 *
 * @example if (isConsecutive(scan)) return readConsecutive(reader, scan, readOne);
 */
export function isConsecutive({ ranges, order, start, skip, filters }: Scan): boolean {
  if (order.column !== "uid") return false;
  // How many rows to pass over in a range is only known from its beginning, and without filters.
  if (skip > 0 && (start !== undefined || filters.length > 0)) return false;
  return ranges.every((range, at) => {
    if (!("below" in range) || range.partitions !== undefined) return false;
    const before = ranges[at - 1];
    return before === undefined || ("below" in before && before.below < range.below);
  });
}

/** Reads the rows of such a list; `readOne` reads those of a list with one range. */
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
    const passed = skip > 0 ? await rowCount(reader, scan, range) : 0;
    if (skip > 0 && passed <= skip) {
      skip -= passed;
      continue;
    }
    const limit = scan.limit - rows.length;
    rows.push(...(await readOne({ ...scan, ranges: [range], skip, limit })));
    skip = 0;
    if (rows.length >= scan.limit) break;
  }
  return rows;
}

function rowCount(reader: Reader, { table, counts }: Scan, range: Range): number | Promise<number> {
  return counts ? rowsIn(table, counts, range) : countRange(reader, table, range, []);
}

/** Whether a page that begins at the start has left a range behind. */
function isBefore(range: Range, start: Start | undefined, descending: boolean): boolean {
  if (start === undefined || !("below" in range)) return false;
  const key = String(start.key);
  return descending ? range.below > key : `${range.below}0` <= key;
}
