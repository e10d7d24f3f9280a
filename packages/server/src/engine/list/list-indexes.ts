import { setTimeout as sleep } from "node:timers/promises";
import type { Reader, Writer } from "../../store/db/connection.ts";
import type { Store } from "../../store/db/store.ts";
import { readBlocks, startInBlocks } from "../../store/resources/lists/blocks.ts";
import { buildList } from "../../store/resources/lists/build.ts";
import {
  type BuildLimits,
  type FoundList,
  filterText,
  findList,
  isIndexed,
  type ListKey,
  listOf,
  needsEntries,
} from "../../store/resources/lists/list-index.ts";
import { deleteUselessList } from "../../store/resources/lists/retention.ts";
import type { Condition, Order, Range } from "../../store/resources/query.ts";
import type { ResourceTable } from "../../store/resources/resource-table.ts";
import type { SkipStart } from "./skip-index.ts";

/** Lists that wait for their index at most; further ones ask again. */
const MAX_QUEUED = 100;

/** The pause after a step is as long as the step took, and at least this: other writes come between. */
const MIN_PAUSE_MS = 2;

const DAY_MS = 24 * 3_600_000;

/** Indexes that no list has used for this long are deleted. */
const UNUSED_MS = 7 * DAY_MS;

/** A list of one range, in an order. */
export interface OrderedRange {
  readonly table: ResourceTable;
  readonly range: Range;
  readonly order: Order;
  readonly filters: readonly Condition[];
}

/** A skip by the blocks of a list, which are exact at this number of changes. */
export interface CountedSkip extends SkipStart {
  readonly changes: number;
}

/**
 * The indexes of single lists (store/resources/lists/list-index.ts). A list that needs one asks for it here; it
 * is built in the background, in small transactions, and lists use it once it is complete.
 */
export class ListIndexes {
  readonly #store: Store;
  readonly #limits: BuildLimits;
  readonly #queue = new Map<string, ListKey>();
  readonly #stopping = new AbortController();
  #building: Promise<void> | undefined;

  constructor(store: Store, limits: BuildLimits) {
    this.#store = store;
    this.#limits = limits;
  }

  /** The entries of a list; undefined where it needs none, or has to do without until they are built. */
  async entriesOf(reader: Reader, list: OrderedRange): Promise<number | undefined> {
    const { table, range, order, filters } = list;
    const { sortedRows } = this.#limits;
    const filtered = await this.#filtered(reader, list);
    if (filtered !== undefined) return filtered.id;
    if (!filters.every((one) => "after" in one && one.column === order.column)) return undefined;
    // Most lists are in an order of the table: without a read.
    if (isIndexed(reader, table, range, order.column)) return undefined;
    const key = listOf(table, range, order.column, "entries");
    if (key === undefined) return undefined;
    const found = await findList(reader, key);
    if (!needsEntries(reader, table, range, order.column, found.counts, sortedRows)) {
      return undefined;
    }
    return this.#complete(key, found)?.id;
  }

  /** The number of rows of a filtered list, where it is known. */
  async totalOf(reader: Reader, list: OrderedRange): Promise<number | undefined> {
    return (await this.#filtered(reader, list))?.row_count;
  }

  /** The index of a list with a value in a column that many rows have. */
  async #filtered(reader: Reader, list: OrderedRange): Promise<FoundList["index"]> {
    const { table, range, order, filters } = list;
    const [filter, ...others] = filters;
    if (filter === undefined || others.length > 0 || !("value" in filter)) return undefined;
    if (filter.column === "parent") return undefined;
    const key = listOf(table, range, order.column, "entries", filter);
    if (key === undefined) return undefined;
    const found = await findList(reader, key);
    if (found.index?.state === "complete") return this.#complete(key, found);
    const { sortedRows } = this.#limits;
    if (
      found.size <= sortedRows ||
      !(await table.hasMany(reader, filter, key.partition, sortedRows))
    )
      return;
    return this.#complete(key, found);
  }

  /** Where a deep skip starts; undefined where the list has no blocks yet, or cannot have any. */
  async skip(reader: Reader, list: OrderedRange, skip: number): Promise<CountedSkip | undefined> {
    const { table, range, order, filters } = list;
    const { blockRows } = this.#limits;
    if (skip < blockRows || filters.length > 0) return undefined;
    const key = listOf(table, range, order.column, "blocks");
    if (key === undefined) return undefined;
    const found = await findList(reader, key);
    if (found.size < blockRows) return undefined;
    const index = this.#complete(key, found);
    if (index === undefined) return undefined;
    const blocks = await readBlocks(reader, index.id);
    if (blocks.some(({ rows }) => rows > 2 * blockRows)) this.#request(key);
    return { ...startInBlocks(blocks, order, skip), changes: found.counts.changes };
  }

  /** Deletes indexes that are not used, or cannot be. */
  async deleteUseless(): Promise<void> {
    await this.#repeat((writer, now) => deleteUselessList(writer, now - UNUSED_MS, this.#limits));
  }

  /** Resolves when nothing is being built. */
  async idle(): Promise<void> {
    await this.#building;
  }

  /** Resolves after the current step. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#building;
  }

  #complete(key: ListKey, { index }: FoundList): FoundList["index"] {
    if (index?.state !== "complete" || index.used < Date.now() - DAY_MS) this.#request(key);
    return index?.state === "complete" ? index : undefined;
  }

  #request(key: ListKey): void {
    if (this.#stopping.signal.aborted || this.#queue.size >= MAX_QUEUED) return;
    const { table, partition, scope, reach, sort, form, filter } = key;
    const name = [table.shape.name, partition, scope, reach, sort, form, filterText(filter)];
    this.#queue.set(name.join(" "), key);
    this.#building ??= this.#build().finally(() => {
      this.#building = undefined;
    });
  }

  async #build(): Promise<void> {
    for (const [name, key] of this.#queue) {
      if (this.#stopping.signal.aborted) return;
      // A list whose build fails asks again. The store's health reports a store that cannot be written.
      await this.#repeat((writer, now) => buildList(writer, key, this.#limits, now)).catch(
        () => {},
      );
      this.#queue.delete(name);
    }
  }

  /** Repeats a step while it returns that there is more to do. */
  async #repeat(step: (writer: Writer, now: number) => Promise<boolean>): Promise<void> {
    const { signal } = this.#stopping;
    for (let more = true; more && !signal.aborted; ) {
      const started = performance.now();
      await this.#store.write(async (tx) => {
        tx.atEnd(async (writer) => {
          more = await step(writer, Date.now());
        });
      });
      const pause = Math.max(MIN_PAUSE_MS, performance.now() - started);
      if (more) await sleep(pause, undefined, { signal }).catch(() => {});
    }
  }
}
