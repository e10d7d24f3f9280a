import { hash } from "node:crypto";
import type { SlicedTask } from "../../lib/scheduling/time-slices.ts";
import type { Reader } from "../../store/db/connection.ts";
import { countRange, readPage, readPositions } from "../../store/resources/page.ts";
import type {
  Condition,
  Order,
  PageQuery,
  Position,
  Range,
  Start,
} from "../../store/resources/query.ts";
import { countsOf, sizeColumn } from "../../store/resources/range-counts.ts";
import type { ResourceTable } from "../../store/resources/resource-table.ts";
import { type PageForm, type PageRow, positionOf } from "../../store/resources/rows.ts";
import type { RangeSet } from "../visible/range-set.ts";
import type { VisibleRows } from "../visible/visible-rows.ts";
import { isConsecutive, readConsecutive } from "./consecutive.ts";
import type { ListIndexes } from "./list-indexes.ts";
import { MergedTraversal, positionOrder } from "./merge.ts";
import type { SkipIndex, Traversal } from "./skip-index.ts";
import type { TextSearch } from "./text-search.ts";

/** A list query: which rows, in which order, and where to start. */
export interface Scan {
  readonly table: ResourceTable;
  readonly ranges: readonly Range[];
  readonly filters: readonly Condition[];
  readonly order: Order;
  readonly start: Start | undefined;
  readonly skip: number;
  readonly limit: number;
  readonly form: PageForm;
  readonly listIndexes: ListIndexes;
  /** The ranges as a set, where they are many. */
  readonly many?: ManyRanges | undefined;
  /** Finds the rows of a list by text in a large table. */
  readonly search?: TextSearch | undefined;
  /** The task that the list is part of; it yields to other tasks between two statements. */
  readonly task: SlicedTask;
}

/** Many ranges, and what reads them. */
export interface ManyRanges {
  readonly set: RangeSet;
  readonly rows: VisibleRows;
}

/** Ranges that are read concurrently. */
const CONCURRENCY = 16;

/** Reads the rows of a list in order, over all its ranges. */
export async function readRows(
  reader: Reader,
  skipIndex: SkipIndex,
  scan: Scan,
): Promise<PageRow[]> {
  const { search, many } = scan;
  if (many !== undefined && search === undefined) {
    const { set, rows } = many;
    return rows.read(reader, { ...scan, set }, (one) => readRows(reader, skipIndex, one));
  }
  const [only, ...others] = scan.ranges;
  if (only === undefined) return [];
  if (search !== undefined) return search.rows(scan);
  if (others.length > 0 && isConsecutive(scan)) {
    return readConsecutive(reader, scan, (one) => readRows(reader, skipIndex, one));
  }
  if (others.length === 0) return readRange(reader, skipIndex, scan, only);
  return readMerged(reader, await shortened(reader, skipIndex, scan));
}

/** Whether the rows of a list come with its total. */
export function isCountedByRows({ table, ranges, filters, many, search }: Scan): boolean {
  const [only, ...others] = ranges;
  if (only === undefined || others.length > 0 || filters.length > 0) return false;
  return many === undefined && search === undefined && sizeColumn(table, only) !== undefined;
}

/** Attempts of a deep skip by blocks. */
const MAX_ATTEMPTS = 5;

/** Reads the rows of one range. */
async function readRange(
  reader: Reader,
  skipIndex: SkipIndex,
  scan: Scan,
  range: Range,
): Promise<PageRow[]> {
  const { table, form, limit, listIndexes } = scan;
  for (let attempt = 1; scan.skip > 0 && scan.start === undefined; attempt++) {
    const counted = await listIndexes.skip(reader, { ...scan, range }, scan.skip);
    if (counted === undefined) break;
    const near = { ...scan, start: counted.start };
    const query = await pageQuery(reader, near, range, counted.skip, limit);
    const rows = await readPage(reader, table, { ...query, counted: true }, form);
    // A change between the two statements may have moved the page.
    const { changes } = await countsOf(reader, table, range);
    if (changes === counted.changes || attempt === MAX_ATTEMPTS) return rows;
  }
  const near = await shortened(reader, skipIndex, scan);
  const query = await pageQuery(reader, near, range, near.skip, limit);
  return readPage(reader, table, { ...query, counted: true }, form);
}

/** The same list, started at the indexed row nearest to its first one. */
async function shortened(reader: Reader, skipIndex: SkipIndex, scan: Scan): Promise<Scan> {
  const { table, ranges, filters, order } = scan;
  if (scan.skip === 0) return scan;
  // Lists of uids are short, and the number of rows before a cursor is unknown.
  if (scan.start !== undefined || ranges.some((range) => "uids" in range)) return scan;
  const list = {
    key: digest(JSON.stringify([table.shape.name, ranges, filters, order])),
    version: async () => digest((await changesOf(reader, scan)).join()),
    traverse: (start: Start | undefined) => traverse(reader, { ...scan, start }),
  };
  return { ...scan, ...(await skipIndex.shorten(list, scan.skip)) };
}

/** Keys of lists with many ranges are long, and many are kept. */
function digest(text: string): string {
  return text.length < 256 ? text : hash("sha256", text, "base64url");
}

async function changesOf(reader: Reader, scan: Scan): Promise<number[]> {
  const { table, ranges, task } = scan;
  const all: number[] = [];
  for (const some of batches(ranges)) {
    const counts = await Promise.all(some.map((range) => countsOf(reader, table, range)));
    all.push(...counts.map(({ changes }) => changes));
    await task.pause();
  }
  return all;
}

function* batches(ranges: readonly Range[]): Iterable<readonly Range[]> {
  for (let at = 0; at < ranges.length; at += CONCURRENCY) yield ranges.slice(at, at + CONCURRENCY);
}

function traverse(reader: Reader, scan: Scan): Traversal {
  const [only, ...others] = scan.ranges;
  if (only !== undefined && others.length === 0) return new RangeTraversal(reader, scan, only);
  const fetch = async (range: Range, start: Start | undefined, limit: number) =>
    readPositions(reader, scan.table, await pageQuery(reader, { ...scan, start }, range, 0, limit));
  return new MergedTraversal(scan, fetch, scan.task);
}

/** Traverses one range: the database skips rows within its index. */
class RangeTraversal implements Traversal {
  readonly #reader: Reader;
  readonly #range: Range;
  #scan: Scan;

  constructor(reader: Reader, scan: Scan, range: Range) {
    this.#reader = reader;
    this.#scan = scan;
    this.#range = range;
  }

  async advance(rows: number): Promise<Position | undefined> {
    const query = await pageQuery(this.#reader, this.#scan, this.#range, rows, 1);
    const [found] = await readPositions(this.#reader, this.#scan.table, query);
    if (found) this.#scan = { ...this.#scan, start: { ...found, inclusive: true } };
    return found;
  }
}

/** The total number of rows of a list, over all its pages. */
export async function countRows(reader: Reader, scan: Scan): Promise<number> {
  const { ranges, many, search, task } = scan;
  if (search !== undefined) return ranges.length === 0 ? 0 : search.count(scan);
  if (many !== undefined) return many.rows.count(reader, { ...scan, set: many.set });
  let total = 0;
  for (const some of batches(ranges)) {
    const counts = some.map((range) => countOne(reader, scan, range));
    for (const count of await Promise.all(counts)) total += count;
    await task.pause();
  }
  return total;
}

async function countOne(reader: Reader, scan: Scan, range: Range): Promise<number> {
  const { table, filters, listIndexes } = scan;
  const known =
    filters.length === 0 ? undefined : await listIndexes.totalOf(reader, { ...scan, range });
  return known ?? countRange(reader, table, range, filters);
}

async function pageQuery(
  reader: Reader,
  scan: Scan,
  range: Range,
  offset: number,
  limit: number,
): Promise<PageQuery> {
  const { filters, order, start, table, listIndexes } = scan;
  const entries = await listIndexes.entriesOf(reader, { table, range, order, filters });
  return { range, filters, order, start, offset, limit, entries };
}

async function readMerged(reader: Reader, scan: Scan): Promise<PageRow[]> {
  if (scan.skip > 0) {
    const first = await traverse(reader, scan).advance(scan.skip);
    if (first === undefined) return [];
    return readMerged(reader, { ...scan, skip: 0, start: { ...first, inclusive: true } });
  }
  const compare = positionOrder(scan.order);
  let rows: PageRow[] = [];
  for (const some of batches(scan.ranges)) {
    const last = rows.length < scan.limit ? undefined : rows.at(-1);
    for (const range of await contributing(reader, scan, some, last)) {
      const query = await pageQuery(reader, scan, range, 0, scan.limit);
      const more = await readPage(reader, scan.table, query, scan.form);
      // Keeps one page at most: there may be thousands of ranges, and rows may be large.
      rows = [...rows, ...more]
        .sort((a, b) => compare(positionOf(a), positionOf(b)))
        .slice(0, scan.limit);
      await scan.task.pause();
    }
    await scan.task.pause();
  }
  return rows;
}

/** The ranges with a row before the last one of a full page; all of them while the page is not full. */
async function contributing(
  reader: Reader,
  scan: Scan,
  ranges: readonly Range[],
  last: PageRow | undefined,
): Promise<readonly Range[]> {
  if (last === undefined) return ranges;
  const compare = positionOrder(scan.order);
  const heads = await Promise.all(
    ranges.map(async (range) =>
      readPositions(reader, scan.table, await pageQuery(reader, scan, range, 0, 1)),
    ),
  );
  return ranges.filter((_, at) => {
    const head = heads[at]?.[0];
    return head !== undefined && compare(head, positionOf(last)) < 0;
  });
}
