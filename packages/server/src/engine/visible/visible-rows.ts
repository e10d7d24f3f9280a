import { subtreeEnd } from "@wharf/contract";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { type SlicedTask, TimeSlices } from "../../lib/time-slices.ts";
import type { Reader } from "../../store/db/connection.ts";
import {
  readPageById,
  readSubtreePage,
  readUidPositions,
} from "../../store/resources/many-rows.ts";
import type { ResourceTable } from "../../store/resources/resource-table.ts";
import type { PageRow } from "../../store/resources/rows.ts";
import type { Scan } from "../scan.ts";
import { buildVisibleList, rangeAround, shareOf } from "./build.ts";
import type { RangeSet } from "./range-set.ts";
import { firstIndex, ScopeCounts } from "./scope-counts.ts";
import type { VisibleList, VisibleQuery } from "./visible-list.ts";

/** The memory of all kept lists. */
const KEPT_LISTS = { maxEntries: 500, maxBytes: 64 * 1024 * 1024 };

/** Rows that are read from an index around a list until its page is full. */
const MAX_WALKED_ROWS = 2_000;

/** Rows of a subtree that is read together with others. */
const SMALL_SUBTREE_ROWS = 200;

/** A list over many ranges. */
export type ManyScan = Scan & { readonly set: RangeSet };

/** Reads a list with one range. */
export type ReadOne = (scan: Scan) => Promise<PageRow[]>;

/**
 * Lists of callers with role bindings at many groups, whose ranges are too many to be read one by one:
 *
 * - By uid, the ranges follow each other. The counts of all of them tell which ones a page is in.
 * - In other orders, the rows around the ranges are read in order until the page is full, if a good share of them is
 *   visible.
 * - Otherwise, and to skip rows, the ids of all visible rows are kept in order, and corrected by what has changed.
 */
export class VisibleRows {
  readonly #reader: Reader;
  readonly #slices = new TimeSlices();
  readonly #counts = new WeakMap<RangeSet, Map<ResourceTable, ScopeCounts>>();
  readonly #lists = new BoundedCache<string, VisibleList>(KEPT_LISTS);
  readonly #building = new Map<string, Promise<VisibleList>>();

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** Whether a list costs little: what it needs was derived before. */
  isPrepared(query: VisibleQuery): boolean {
    if (this.#lists.has(keyOf(query))) return true;
    return query.column === "uid" && hasCounts(query) && this.#knownCounts(query) !== undefined;
  }

  async read(scan: ManyScan, readOne: ReadOne): Promise<PageRow[]> {
    const query = queryOf(scan);
    const isConsecutive = scan.order.column === "uid" && hasCounts(query);
    if (isConsecutive && !(scan.skip > 0 && scan.start !== undefined)) {
      return this.#readConsecutive(scan, readOne);
    }
    if (!this.#lists.has(keyOf(query)) && hasCounts(query)) {
      const walked = await this.#walk(scan);
      if (walked !== undefined) return walked;
    }
    for (;;) {
      const list = await this.#list(query, scan.task);
      const rows = await list.read({ ...scan, descending: scan.order.descending }, scan.task);
      if (rows !== undefined) return rows;
      this.#lists.delete(keyOf(query));
    }
  }

  /** The number of all rows. */
  async count(scan: ManyScan): Promise<number> {
    const query = queryOf(scan);
    if (hasCounts(query)) return (await this.#countsOf(query)).total;
    for (;;) {
      const list = await this.#list(query, scan.task);
      if (await list.refresh()) return list.size;
      this.#lists.delete(keyOf(query));
    }
  }

  #knownCounts({ table, set }: VisibleQuery): ScopeCounts | undefined {
    return this.#counts.get(set)?.get(table);
  }

  async #countsOf(query: VisibleQuery): Promise<ScopeCounts> {
    const { table, set } = query;
    let counts = this.#knownCounts(query);
    if (counts === undefined) {
      counts = new ScopeCounts(this.#reader, this.#slices, table, set);
      const tables = this.#counts.get(set) ?? new Map<ResourceTable, ScopeCounts>();
      this.#counts.set(set, tables.set(table, counts));
    }
    await counts.refresh();
    return counts;
  }

  /** The kept list of a query; built once for concurrent requests. */
  async #list(query: VisibleQuery, task: SlicedTask): Promise<VisibleList> {
    const key = keyOf(query);
    for (;;) {
      const kept = this.#lists.get(key);
      if (kept !== undefined) return kept;
      const building = this.#building.get(key);
      if (building === undefined) return this.#build(key, query, task);
      // The request that builds it may be canceled: then another one does.
      const built = await building.catch(() => undefined);
      if (built !== undefined) return built;
      await task.yield();
    }
  }

  async #build(key: string, query: VisibleQuery, task: SlicedTask): Promise<VisibleList> {
    const build = async () => {
      const counts = query.set.areTops ? await this.#countsOf(query) : undefined;
      return buildVisibleList(this.#reader, query, counts, task);
    };
    const building = build();
    this.#building.set(key, building);
    try {
      const list = await building;
      this.#lists.set(key, list, list.bytes);
      return list;
    } finally {
      this.#building.delete(key);
    }
  }

  /** Reads a page in the order of uids from the subtrees that it is in. */
  async #readConsecutive(scan: ManyScan, readOne: ReadOne): Promise<PageRow[]> {
    const { set, start, order, limit } = scan;
    const counts = await this.#countsOf(queryOf(scan));
    const { descending } = order;
    const count = set.uids.length;
    let { skip } = scan;
    let place = descending ? count - 1 : 0;
    if (start !== undefined) place = firstPlace(set, String(start.key), descending);
    else if (skip >= counts.total) return [];
    else if (skip > 0) {
      const found = counts.find(descending ? counts.total - 1 - skip : skip);
      place = found.place;
      const end = found.before + counts.at(place);
      skip -= descending ? counts.total - end : found.before;
    }
    const step = descending ? -1 : 1;
    const rows: PageRow[] = [];
    while (place >= 0 && place < count && rows.length < limit) {
      const wanted = limit - rows.length;
      const tops: string[] = [];
      let expected = -skip;
      for (; place >= 0 && place < count && expected < wanted; place += step) {
        const size = counts.at(place);
        if (size > SMALL_SUBTREE_ROWS && tops.length > 0) break;
        if (size > 0) tops.push(set.uids[place] as string);
        expected += size;
        if (size > SMALL_SUBTREE_ROWS) {
          place += step;
          break;
        }
      }
      const part = { ...scan, skip, limit: wanted };
      rows.push(...(await this.#readTops(part, tops, readOne)));
      skip = 0;
      await scan.task.pause();
    }
    return rows;
  }

  async #readTops(scan: ManyScan, tops: readonly string[], readOne: ReadOne): Promise<PageRow[]> {
    const [only, ...others] = tops;
    if (only === undefined) return [];
    if (others.length === 0) {
      return readOne({ ...scan, many: undefined, ranges: [{ below: only, self: true }] });
    }
    const { table, order, start, skip: offset, limit, form } = scan;
    return readSubtreePage(this.#reader, table, tops, { order, start, offset, limit }, form);
  }

  /** Reads the rows around the ranges in order until the page is full; undefined when that would take long. */
  async #walk(scan: ManyScan): Promise<PageRow[] | undefined> {
    const { table, set, order, skip, limit, form } = scan;
    const counts = await this.#countsOf(queryOf(scan));
    const share = await shareOf(this.#reader, scan, counts);
    const size = Math.ceil((1.3 * (skip + limit)) / Math.max(share, 1e-9)) + 10;
    if (size > MAX_WALKED_ROWS) return undefined;
    const found: (readonly [key: string | number, id: number])[] = [];
    let { start } = scan;
    for (let walked = 0; found.length < skip + limit; walked += size) {
      if (walked > MAX_WALKED_ROWS) return undefined;
      const range = rangeAround(set);
      const query = { range, filters: [], order, start, offset: 0, limit: size };
      const some = await readUidPositions(this.#reader, table, query);
      for (const [key, id, uid] of some) if (set.has(uid)) found.push([key, id]);
      const last = some.at(-1);
      if (last === undefined || some.length < size) break;
      start = { key: last[0], id: last[1], inclusive: false };
      await scan.task.pause();
    }
    const page = found.slice(skip, skip + limit);
    if (page.length === 0) return [];
    const ids = page.map(([, id]) => id);
    const rows = await readPageById(this.#reader, table, order.column, ids, form);
    // Rows that were deleted meanwhile are missing: the page is read again without them.
    if (rows.length < page.length) return this.#walk(scan);
    const byId = new Map(rows.map((row) => [row[1], row]));
    // With the keys by which they were found, so that the next page continues there.
    return page.map(([key, id]): PageRow => {
      const [, , encoding, body] = byId.get(id) as PageRow;
      return [key, id, encoding, body];
    });
  }
}

/** The first subtree with rows behind a uid, in the direction of the list. */
function firstPlace({ uids }: RangeSet, uid: string, descending: boolean): number {
  if (descending) return firstIndex(uids.length, (at) => (uids[at] as string) > uid) - 1;
  return firstIndex(uids.length, (at) => subtreeEnd(uids[at] as string) > uid);
}

/** Whether the counts of subtrees tell how many rows a list has in each. */
function hasCounts({ set, filters }: VisibleQuery): boolean {
  return set.areTops && !set.hasRoots && filters.length === 0;
}

function queryOf({ table, set, filters, order }: ManyScan): VisibleQuery {
  return { table, set, filters, column: order.column };
}

function keyOf({ table, set, filters, column }: VisibleQuery): string {
  return JSON.stringify([set.id, table.shape.name, column, filters]);
}
