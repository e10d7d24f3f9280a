import type { Reader } from "../store/connection.ts";
import {
  countRange,
  type Order,
  type PageQuery,
  type PageRow,
  type Position,
  type Range,
  readPage,
  readPositions,
  type Start,
} from "../store/page.ts";
import { countsOf } from "../store/range-counts.ts";
import type { Condition, ResourceTable } from "../store/resource-table.ts";
import type { Landmarks } from "./landmarks.ts";

/** A list made ready: which rows, in which order, and where to begin. */
export interface Scan {
  readonly table: ResourceTable;
  readonly ranges: readonly Range[];
  readonly filters: readonly Condition[];
  readonly order: Order;
  readonly start: Start | undefined;
  readonly skip: number;
  readonly limit: number;
  readonly form: "json" | "data";
}

/** Positions fetched at a time where several ranges are merged. */
const CHUNK = 500;

/**
 * Reads the rows of a list, whichever ranges they come from, in one order.
 *
 * @example const rows = await readRows(reader, landmarks, scan);
 */
export async function readRows(
  reader: Reader,
  landmarks: Landmarks,
  scan: Scan,
): Promise<PageRow[]> {
  if (scan.ranges.length === 0) return [];
  const near = await shortened(reader, landmarks, scan);
  const [only, ...others] = near.ranges;
  if (only === undefined || others.length > 0) return readMerged(reader, near);
  return readPage(reader, near.table, pageQuery(near, only, near.skip, near.limit), near.form);
}

/** The same list, begun at the landmark that is nearest to its first row. */
async function shortened(reader: Reader, landmarks: Landmarks, scan: Scan): Promise<Scan> {
  const { table, ranges, filters, order } = scan;
  if (scan.skip === 0) return scan;
  // Named rows are few, and from a cursor there is no telling how many rows are before.
  if (scan.start !== undefined || ranges.some((range) => "uids" in range)) return scan;
  const list = {
    key: JSON.stringify([table.shape.name, ranges, filters, order]),
    async changes() {
      const counts = await Promise.all(ranges.map((range) => countsOf(reader, table, range)));
      return counts.map(({ changes }) => changes).join();
    },
    at: (start: Start | undefined, offset: number) =>
      positionAt(reader, { ...scan, start }, offset),
  };
  return { ...scan, ...(await landmarks.shorten(list, scan.skip)) };
}

async function positionAt(
  reader: Reader,
  scan: Scan,
  offset: number,
): Promise<Position | undefined> {
  const [only, ...others] = scan.ranges;
  if (only === undefined || others.length > 0) return mergedPositionAt(reader, scan, offset);
  const [found] = await readPositions(reader, scan.table, pageQuery(scan, only, offset, 1));
  return found;
}

/**
 * How many rows a list has in all, over all its pages.
 *
 * @example const total = await countRows(reader, scan);
 */
export async function countRows(reader: Reader, { table, ranges, filters }: Scan): Promise<number> {
  let total = 0;
  for (const range of ranges) total += await countRange(reader, table, range, filters);
  return total;
}

function pageQuery(scan: Scan, range: Range, offset: number, limit: number): PageQuery {
  const { filters, order, start } = scan;
  return { range, filters, order, start, offset, limit };
}

async function readMerged(reader: Reader, scan: Scan): Promise<PageRow[]> {
  if (scan.skip > 0) {
    const first = await mergedPositionAt(reader, scan, scan.skip);
    if (first === undefined) return [];
    return readMerged(reader, { ...scan, skip: 0, start: { ...first, inclusive: true } });
  }
  const before = comparison(scan.order);
  let rows: PageRow[] = [];
  for (const range of scan.ranges) {
    const query = pageQuery(scan, range, 0, scan.limit);
    const more = await readPage(reader, scan.table, query, scan.form);
    // No more than can be shown is held: there may be hundreds of ranges, and rows may be large.
    rows = [...rows, ...more]
      .sort((a, b) => before([a[0], a[1]], [b[0], b[1]]))
      .slice(0, scan.limit);
  }
  return rows;
}

/** The position of the row that so many come before; undefined when there are not that many. */
async function mergedPositionAt(
  reader: Reader,
  scan: Scan,
  offset: number,
): Promise<Position | undefined> {
  const before = comparison(scan.order);
  let heads = await Promise.all(scan.ranges.map((range) => Stream.open(reader, scan, range)));
  for (let passed = 0; ; passed++) {
    heads = heads.filter((stream) => stream.head !== undefined);
    const [first, ...rest] = heads;
    if (first === undefined) return undefined;
    const next = rest.reduce(
      (least, other) => (before(of(other), of(least)) < 0 ? other : least),
      first,
    );
    if (passed === offset) return next.head;
    await next.advance();
  }
}

/** The positions of one range, fetched in chunks as they are used up. */
class Stream {
  readonly #next: (start: Start | undefined) => Promise<Position[]>;
  #chunk: Position[] = [];
  #at = 0;

  private constructor(next: (start: Start | undefined) => Promise<Position[]>) {
    this.#next = next;
  }

  static async open(reader: Reader, scan: Scan, range: Range): Promise<Stream> {
    const stream = new Stream((start) => {
      return readPositions(reader, scan.table, pageQuery({ ...scan, start }, range, 0, CHUNK));
    });
    stream.#chunk = await stream.#next(scan.start);
    return stream;
  }

  get head(): Position | undefined {
    return this.#chunk[this.#at];
  }

  async advance(): Promise<void> {
    this.#at += 1;
    if (this.#at < CHUNK || this.#chunk.length < CHUNK) return;
    const last = this.#chunk.at(-1) as Position;
    this.#chunk = await this.#next({ ...last, inclusive: false });
    this.#at = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function of({ head }: Stream): readonly [string | number, number] {
  return head === undefined ? ["", 0] : [head.key, head.id];
}

type Key = readonly [key: string | number, id: number];

/** Compares as the databases do: text by its bytes, which for what keys hold is by its characters. */
function comparison({ descending }: Order): (a: Key, b: Key) => number {
  const sign = descending ? -1 : 1;
  return ([keyA, idA], [keyB, idB]) => {
    if (keyA !== keyB) return keyA < keyB ? -sign : sign;
    return (idA - idB) * sign;
  };
}
