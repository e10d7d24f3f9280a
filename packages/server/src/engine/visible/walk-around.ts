import type { Reader } from "../../store/db/connection.ts";
import {
  readPageById,
  readUidPositions,
  type UidPageRow,
} from "../../store/resources/many-rows.ts";
import type { PageRow } from "../../store/resources/rows.ts";
import { rangeAround, shareOf } from "./build.ts";
import type { ScopeCounts } from "./scope-counts.ts";
import type { ManyScan } from "./visible-rows.ts";

/** Rows that are read from an index around a list until its page is full. */
const MAX_WALKED_ROWS = 2_000;

/** Reads the rows around the ranges in order until the page is full; undefined when that would take long. */
export async function walkAround(
  reader: Reader,
  scan: ManyScan,
  counts: ScopeCounts,
): Promise<PageRow[] | undefined> {
  const { table, set, order, skip, limit, form } = scan;
  const share = await shareOf(reader, scan, counts);
  const size = Math.ceil((1.3 * (skip + limit)) / Math.max(share, 1e-9)) + 10;
  if (size > MAX_WALKED_ROWS) return undefined;
  const found: (readonly [key: string | number, id: number])[] = [];
  let { start } = scan;
  for (let walked = 0; found.length < skip + limit; walked += size) {
    if (walked > MAX_WALKED_ROWS) return undefined;
    const range = rangeAround(set);
    const query = { range, filters: [], order, start, offset: 0, limit: size };
    const some = await readUidPositions(reader, table, query);
    for (const [key, id, uid] of some) if (set.has(uid)) found.push([key, id]);
    const last = some.at(-1);
    if (last === undefined || some.length < size) break;
    start = { key: last[0], id: last[1], inclusive: false };
    await scan.task.pause();
  }
  const page = found.slice(skip, skip + limit);
  if (page.length === 0) return [];
  const ids = page.map(([, id]) => id);
  const rows = await readPageById(reader, table, order.column, ids, form);
  // Rows that were deleted meanwhile are missing: the page is read again without them.
  if (rows.length < page.length) return walkAround(reader, scan, counts);
  const byId = new Map(rows.map((row) => [row[1], row]));
  // With the keys by which they were found, so that the next page continues there.
  return page.map(([key, id]): PageRow => {
    const [, , encoding, body] = byId.get(id) as UidPageRow;
    return [key, id, encoding, body];
  });
}
