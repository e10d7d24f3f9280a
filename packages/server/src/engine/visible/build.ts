import { isSelfOrBelow, rootOf } from "@wharf/contract";
import { slicedSort } from "../../lib/scheduling/sliced-sort.ts";
import type { SlicedTask } from "../../lib/scheduling/time-slices.ts";
import type { Reader } from "../../store/db/connection.ts";
import {
  readManyPositions,
  readUidPositions,
  type UidPosition,
} from "../../store/resources/many-rows.ts";
import { readPositions } from "../../store/resources/page.ts";
import type { Order, PageQuery, Position, Range, Start } from "../../store/resources/query.ts";
import { rangeSize } from "../../store/resources/range-counts.ts";
import { readRowVersion } from "../../store/resources/row-log.ts";
import { comparePositions, markOf, OrderedIds, type OrderedRow } from "./ordered-ids.ts";
import type { RangeSet } from "./range-set.ts";
import type { ScopeCounts } from "./scope-counts.ts";
import type { VisibleQuery } from "./visible-list.ts";

/** Rows read by one statement: about two milliseconds. */
const CHUNK_ROWS = 1_000;

/** Subtrees, or rows, looked up by one statement. */
const CHUNK_RANGES = 250;

/** At this share of the rows around it or more, a list is read from their index. */
const MIN_SHARE = 0.2;

/** Filtered rows that are read from all rows around a list. */
const MAX_FILTERED_ROWS = 10_000;

/** The ids of a list as they were at a version of the rows, or later. */
export interface VersionedIds {
  readonly ids: OrderedIds;
  readonly version: number;
}

/** Reads all rows of a list once. `counts` has the number of rows of each subtree. */
export async function readVisibleIds(
  reader: Reader,
  query: VisibleQuery,
  counts: ScopeCounts | undefined,
  task: SlicedTask,
): Promise<VersionedIds> {
  const { table, set, filters } = query;
  const version = await readRowVersion(reader, table.shape.name);
  const builder = new Builder(reader, query, task);
  let ids: OrderedIds | undefined;
  if (filters.length > 0) ids = await builder.filtered();
  else if (counts !== undefined && !set.hasRoots) {
    const isWide = (await shareOf(reader, query, counts)) >= MIN_SHARE;
    if (isWide) ids = await builder.walked(counts);
  }
  ids ??= await builder.sorted(counts);
  return { ids, version };
}

/** The share of a list's rows in the range around it. */
export async function shareOf(
  reader: Reader,
  { table, set }: Pick<VisibleQuery, "table" | "set">,
  { total }: ScopeCounts,
): Promise<number> {
  return total / Math.max(await rangeSize(reader, table, rangeAround(set)), 1);
}

/** The smallest range with its orders in indexes that has all ranges of a set: a root, or everything. */
export function rangeAround({ uids }: RangeSet): Range {
  const root = rootOf(uids[0] ?? "");
  const inOneRoot = isSelfOrBelow(uids.at(-1) ?? "", root);
  return inOneRoot ? { below: root, self: true } : { everything: true };
}

class Builder {
  readonly #reader: Reader;
  readonly #query: VisibleQuery;
  readonly #task: SlicedTask;

  constructor(reader: Reader, query: VisibleQuery, task: SlicedTask) {
    this.#reader = reader;
    this.#query = query;
    this.#task = task;
  }

  /** From all rows around, in order. Reads indexes alone: of uids, and of the order. */
  async walked(counts: ScopeCounts): Promise<OrderedIds> {
    const marks = new Map<number, number>();
    for await (const some of this.#inRanges(counts, "uid")) {
      for (const [, id, uid] of some) marks.set(id, markOf(uid));
    }
    const ids = new OrderedIds();
    for await (const some of this.#positions(rangeAround(this.#query.set))) {
      for (const { key, id } of some) {
        const mark = marks.get(id);
        if (mark !== undefined) ids.append({ key, id, mark });
      }
    }
    return ids;
  }

  /** From all rows around that the filters select, in order; undefined if they are many. */
  async filtered(): Promise<OrderedIds | undefined> {
    const { table, set, filters, column } = this.#query;
    const ids = new OrderedIds();
    const rows = await readUidPositions(this.#reader, table, {
      range: set.hasRoots ? { everything: true } : rangeAround(set),
      filters,
      order: { column, descending: false },
      offset: 0,
      limit: MAX_FILTERED_ROWS + 1,
    });
    if (rows.length > MAX_FILTERED_ROWS) return undefined;
    for (const [key, id, uid] of rows) if (set.has(uid)) ids.append({ key, id, mark: markOf(uid) });
    return ids;
  }

  /** From each range, sorted afterwards. */
  async sorted(counts: ScopeCounts | undefined): Promise<OrderedIds> {
    const rows: OrderedRow[] = [];
    const add = (some: readonly UidPosition[]) => {
      for (const [key, id, uid] of some) rows.push({ key, id, mark: markOf(uid) });
    };
    const { column, set } = this.#query;
    for await (const some of this.#inRanges(counts, column)) add(some);
    if (set.hasRoots) {
      for await (const some of this.#walk({ childrenOf: "" }, column))
        add(some.filter(([, , uid]) => set.indexOf(uid) === undefined));
    }
    const ids = new OrderedIds();
    for (const row of await slicedSort(rows, comparePositions, this.#task)) ids.append(row);
    return ids;
  }

  /** The rows of all ranges, in statements of about the same size. */
  async *#inRanges(
    counts: ScopeCounts | undefined,
    column: Order["column"],
  ): AsyncIterable<readonly UidPosition[]> {
    const { table, set, filters } = this.#query;
    let batch: string[] = [];
    let rows = 0;
    const read = async () => {
      const uids = batch;
      [batch, rows] = [[], 0];
      const found = { uids, areTops: set.areTops, filters };
      const some = await readManyPositions(this.#reader, table, column, found);
      await this.#task.pause();
      return some;
    };
    for (const [index, uid] of set.uids.entries()) {
      const count = counts?.at(index) ?? 1;
      if (count === 0) continue;
      if (set.areTops && count > CHUNK_ROWS) {
        yield* this.#walk({ below: uid, self: true }, column);
        continue;
      }
      if (batch.length === CHUNK_RANGES || rows + count > CHUNK_ROWS) yield await read();
      batch.push(uid);
      rows += count;
    }
    if (batch.length > 0) yield await read();
  }

  /** The rows of one range in the order of a column, in chunks. */
  #walk(range: Range, column: Order["column"]): AsyncIterable<readonly UidPosition[]> {
    const read = (query: PageQuery) => readUidPositions(this.#reader, this.#query.table, query);
    return this.#chunks(range, column, read, ([key, id]) => ({ key, id }));
  }

  /** The same without uids, which the index of the order does not have. */
  #positions(range: Range): AsyncIterable<readonly Position[]> {
    const read = (query: PageQuery) => readPositions(this.#reader, this.#query.table, query);
    return this.#chunks(range, this.#query.column, read, (position) => position);
  }

  async *#chunks<R>(
    range: Range,
    column: Order["column"],
    read: (query: PageQuery) => Promise<R[]>,
    positionOf: (row: R) => Position,
  ): AsyncIterable<readonly R[]> {
    const { filters } = this.#query;
    const order: Order = { column, descending: false };
    let start: Start | undefined;
    do {
      const some = await read({ range, filters, order, start, offset: 0, limit: CHUNK_ROWS });
      yield some;
      await this.#task.pause();
      const last = some.length < CHUNK_ROWS ? undefined : some.at(-1);
      start = last && { ...positionOf(last), inclusive: false };
    } while (start !== undefined);
  }
}
