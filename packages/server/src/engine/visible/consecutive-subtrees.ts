import { subtreeEnd } from "@wharf/contract";
import type { Reader } from "../../store/db/connection.ts";
import { readSubtreePage } from "../../store/resources/many-rows.ts";
import type { PageRow } from "../../store/resources/rows.ts";
import type { RangeSet } from "./range-set.ts";
import { firstIndex, type ScopeCounts } from "./scope-counts.ts";
import type { ManyScan, ReadOne } from "./visible-rows.ts";

/** Rows of a subtree that is read together with others. */
const SMALL_SUBTREE_ROWS = 200;

/** Reads a page in the order of uids from the subtrees that it is in. */
export async function readConsecutiveSubtrees(
  reader: Reader,
  scan: ManyScan,
  counts: ScopeCounts,
  readOne: ReadOne,
): Promise<PageRow[]> {
  const { set, start, order, limit } = scan;
  const { descending } = order;
  const count = set.uids.length;
  let { skip } = scan;
  let index = descending ? count - 1 : 0;
  if (start !== undefined) index = firstIndexAfter(set, String(start.key), descending);
  else if (skip >= counts.total) return [];
  else if (skip > 0) {
    const found = counts.find(descending ? counts.total - 1 - skip : skip);
    index = found.index;
    const end = found.before + counts.at(index);
    skip -= descending ? counts.total - end : found.before;
  }
  const step = descending ? -1 : 1;
  const rows: PageRow[] = [];
  while (index >= 0 && index < count && rows.length < limit) {
    const wanted = limit - rows.length;
    const tops: string[] = [];
    let expected = -skip;
    for (; index >= 0 && index < count && expected < wanted; index += step) {
      const size = counts.at(index);
      if (size > SMALL_SUBTREE_ROWS && tops.length > 0) break;
      if (size > 0) tops.push(set.uids[index] as string);
      expected += size;
      if (size > SMALL_SUBTREE_ROWS) {
        index += step;
        break;
      }
    }
    const part = { ...scan, skip, limit: wanted };
    rows.push(...(await readTops(reader, part, tops, readOne)));
    skip = 0;
    await scan.task.pause();
  }
  return rows;
}

async function readTops(
  reader: Reader,
  scan: ManyScan,
  tops: readonly string[],
  readOne: ReadOne,
): Promise<PageRow[]> {
  const [only, ...others] = tops;
  if (only === undefined) return [];
  if (others.length === 0) {
    return readOne({ ...scan, many: undefined, ranges: [{ below: only, self: true }] });
  }
  const { table, order, start, skip: offset, limit, form } = scan;
  return readSubtreePage(reader, table, tops, { order, start, offset, limit }, form);
}

/** The first subtree with rows behind a uid, in the direction of the list. */
function firstIndexAfter({ uids }: RangeSet, uid: string, descending: boolean): number {
  if (descending) return firstIndex(uids.length, (at) => (uids[at] as string) > uid) - 1;
  return firstIndex(uids.length, (at) => subtreeEnd(uids[at] as string) > uid);
}
