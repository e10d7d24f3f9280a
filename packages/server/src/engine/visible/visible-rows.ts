import { BoundedCache } from "../../lib/bounded-cache.ts";
import { type SlicedTask, TimeSlices } from "../../lib/scheduling/time-slices.ts";
import type { Reader } from "../../store/db/connection.ts";
import { readManyCounts } from "../../store/resources/counts.ts";
import { readManyPositions } from "../../store/resources/many-rows.ts";
import type { ResourceTable } from "../../store/resources/resource-table.ts";
import type { PageRow } from "../../store/resources/rows.ts";
import type { Scan } from "../list/scan.ts";
import { readVisibleIds } from "./build.ts";
import { readConsecutiveSubtrees } from "./consecutive-subtrees.ts";
import type { RangeSet } from "./range-set.ts";
import { ScopeCounts } from "./scope-counts.ts";
import { VisibleList, type VisibleQuery } from "./visible-list.ts";
import { walkAround } from "./walk-around.ts";

/** The memory of all kept lists. */
const KEPT_LISTS = { maxEntries: 500, maxBytes: 64 * 1024 * 1024 };

/** Role bindings, and rows below them, in which a caller's list may differ from the former one to be derived from it. */
const MAX_MOVED_RANGES = 100;
const MAX_MOVED_ROWS = 2_000;

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

  /** Reads a page. `reader` runs what may be costly for the request. */
  async read(reader: Reader, scan: ManyScan, readOne: ReadOne): Promise<PageRow[]> {
    const query = queryOf(scan);
    const isConsecutive = scan.order.column === "uid" && hasCounts(query);
    if (isConsecutive && !(scan.skip > 0 && scan.start !== undefined)) {
      const counts = await this.#countsOf(query);
      return readConsecutiveSubtrees(reader, scan, counts, readOne);
    }
    if (!this.#lists.has(keyOf(query)) && hasCounts(query)) {
      const walked = await walkAround(reader, scan, await this.#countsOf(query));
      if (walked !== undefined) return walked;
    }
    for (let mayDerive = true; ; mayDerive = false) {
      const list = await this.#list(reader, query, scan.task, mayDerive);
      const rows = await list.read({ ...scan, descending: scan.order.descending }, scan.task);
      if (rows !== undefined) return rows;
      this.#lists.delete(keyOf(query));
    }
  }

  /** The number of all rows. */
  async count(reader: Reader, scan: ManyScan): Promise<number> {
    const query = queryOf(scan);
    if (hasCounts(query)) return (await this.#countsOf(query)).total;
    for (;;) {
      const list = await this.#list(reader, query, scan.task);
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
      const former = set.former?.deref();
      const known = former && this.#knownCounts({ ...query, set: former });
      counts = new ScopeCounts(this.#reader, this.#slices, table, set, known);
      const tables = this.#counts.get(set) ?? new Map<ResourceTable, ScopeCounts>();
      this.#counts.set(set, tables.set(table, counts));
    }
    await counts.refresh();
    return counts;
  }

  /** The kept list of a query; built once for concurrent requests. */
  async #list(
    reader: Reader,
    query: VisibleQuery,
    task: SlicedTask,
    mayDerive = true,
  ): Promise<VisibleList> {
    const key = keyOf(query);
    for (;;) {
      const kept = this.#lists.get(key);
      if (kept !== undefined) return kept;
      const building = this.#building.get(key);
      if (building === undefined) return this.#build(reader, key, query, task, mayDerive);
      // The request that builds it may be canceled: then another one does.
      const built = await building.catch(() => undefined);
      if (built !== undefined) return built;
      await task.yield();
    }
  }

  async #build(
    reader: Reader,
    key: string,
    query: VisibleQuery,
    task: SlicedTask,
    mayDerive: boolean,
  ): Promise<VisibleList> {
    const build = async () => {
      const derived = mayDerive ? await this.#derive(query) : undefined;
      if (derived !== undefined) return derived;
      const counts = query.set.areTops ? await this.#countsOf(query) : undefined;
      const { ids, version } = await readVisibleIds(reader, query, counts, task);
      return new VisibleList(this.#reader, query, ids, version);
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

  /** Derives a list from that of the former set, if both differ in few rows: a role binding more, or less. */
  async #derive(query: VisibleQuery): Promise<VisibleList | undefined> {
    const { set, table } = query;
    const from = set.former?.deref();
    if (from?.areTops !== set.areTops || from.hasRoots !== set.hasRoots) return undefined;
    const former = this.#lists.get(keyOf({ ...query, set: from }));
    const uids = former && set.difference(from, MAX_MOVED_RANGES);
    if (uids === undefined || (await this.#rowsBelow(table, uids)) > MAX_MOVED_ROWS) return;
    if (former === undefined || !(await former.refresh())) return undefined;
    const derived = former.copy(query);
    const moved = { uids, areTops: set.areTops, filters: [] };
    const rows = await readManyPositions(this.#reader, table, "uid", moved);
    derived.derive({ from, uids: rows.map(([, , uid]) => uid) });
    return derived;
  }

  async #rowsBelow({ shape }: ResourceTable, uids: readonly string[]): Promise<number> {
    let rows = 0;
    for await (const some of readManyCounts(this.#reader, shape.name, uids)) {
      for (const { descendants } of some.values()) rows += descendants;
    }
    return rows;
  }
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
