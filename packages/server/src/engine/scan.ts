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
} from "../store/page.ts";
import type { Filter, ResourceTable } from "../store/resource-table.ts";
import type { Landmarks } from "./landmarks.ts";

/** A list made ready: which rows, in which order, and where to begin. */
export interface Scan {
  readonly table: ResourceTable;
  readonly ranges: readonly Range[];
  readonly filters: readonly Filter[];
  readonly order: Order;
  readonly after: Position | undefined;
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
  const [only, ...others] = scan.ranges;
  if (only === undefined) return [];
  if (others.length > 0) return readMerged(reader, scan);
  const key = JSON.stringify([scan.table.shape.name, only, scan.filters, scan.order]);
  const query = await landmarks.shorten(
    key,
    reader,
    scan.table,
    pageQuery(scan, only, scan.skip, scan.limit),
  );
  return readPage(reader, scan.table, query, scan.form);
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
  const { filters, order, after } = scan;
  return { range, filters, order, start: after && { ...after, inclusive: false }, offset, limit };
}

async function readMerged(reader: Reader, scan: Scan): Promise<PageRow[]> {
  if (scan.skip === 0) {
    const pages: PageRow[][] = [];
    for (const range of scan.ranges) {
      pages.push(
        await readPage(reader, scan.table, pageQuery(scan, range, 0, scan.limit), scan.form),
      );
    }
    const before = comparison(scan.order);
    return pages
      .flat()
      .sort((a, b) => before([a[0], a[1]], [b[0], b[1]]))
      .slice(0, scan.limit);
  }
  const last = await skipTo(reader, scan);
  return last === undefined ? [] : readMerged(reader, { ...scan, skip: 0, after: last });
}

/** The position of the last row to skip; undefined when there are not that many. */
async function skipTo(reader: Reader, scan: Scan): Promise<Position | undefined> {
  const before = comparison(scan.order);
  let heads = await Promise.all(scan.ranges.map((range) => Stream.open(reader, scan, range)));
  let position: Position | undefined;
  for (let skipped = 0; skipped < scan.skip; skipped++) {
    heads = heads.filter((stream) => stream.head !== undefined);
    const [first, ...rest] = heads;
    if (first === undefined) return undefined;
    const next = rest.reduce(
      (least, other) => (before(of(other), of(least)) < 0 ? other : least),
      first,
    );
    position = next.head;
    await next.advance();
  }
  return position;
}

/** The positions of one range, fetched in chunks as they are used up. */
class Stream {
  readonly #next: (after: Position | undefined) => Promise<Position[]>;
  #chunk: Position[] = [];
  #at = 0;

  private constructor(next: (after: Position | undefined) => Promise<Position[]>) {
    this.#next = next;
  }

  static async open(reader: Reader, scan: Scan, range: Range): Promise<Stream> {
    const stream = new Stream((after) => {
      return readPositions(reader, scan.table, pageQuery({ ...scan, after }, range, 0, CHUNK));
    });
    stream.#chunk = await stream.#next(scan.after);
    return stream;
  }

  get head(): Position | undefined {
    return this.#chunk[this.#at];
  }

  async advance(): Promise<void> {
    this.#at += 1;
    if (this.#at < CHUNK || this.#chunk.length < CHUNK) return;
    this.#chunk = await this.#next(this.#chunk.at(-1));
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
