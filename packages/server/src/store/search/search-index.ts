import { FairQueue } from "../../lib/scheduling/fair-queue.ts";
import { Semaphore } from "../../lib/scheduling/semaphore.ts";
import { shareOf } from "../../lib/scheduling/share.ts";
import type { SlicedTask, TimeSlices } from "../../lib/scheduling/time-slices.ts";
import type { Reader } from "../db/connection.ts";
import type { ReadOrigin } from "../db/read/costly-reads.ts";
import type { Abandonable } from "../db/store.ts";
import type { Bound, Position, Range } from "../resources/query.ts";
import type { TermFilter, TextFilter } from "../resources/terms/terms.ts";
import { type IndexedRows, NOWHERE, type Place } from "./indexed-rows.ts";
import { loadRows } from "./load-rows.ts";
import { PlaceFilter, rangesKey } from "./place-filter.ts";
import { RowFilter } from "./row-filter.ts";
import type { ChangedRow, RowMatch } from "./row-match.ts";
import { keepIn, RowMatches } from "./row-matches.ts";
import { type Page, RowOrders } from "./row-orders.ts";
import type { RowSource, TableState } from "./row-source.ts";

/** Attempts to read a state of the table that no other write changes meanwhile. */
const MAX_ATTEMPTS = 8;

/** Words that are looked up again before they are added twice. */
const MAX_RECENT_WORDS = 10_000;

/** Numbers that may be unused before the index counts as wasteful, beside half of all. */
const MIN_WASTE = 100_000;

/** Lists whose rows, and ranges, are kept. */
const MAX_FILTERS = 8;

/** Few lists run at the same time, so that the conditions of all of them are kept; callers take turns. */
const QUEUE_LIMITS = {
  concurrency: 4,
  concurrencyPerKey: 2,
  maxQueuedPerKey: 100,
  maxQueued: 1_000,
};

/** Rows between two points where other tasks may run. */
const SLOTS_PER_STEP = 4_096;

/** The owner of work that lists share. */
const OWNER = "index";

/** The request that a list is for. */
export type Asker = ReadOrigin & Abandonable;

/** The rows of a list that a search index finds. */
export interface SearchQuery {
  readonly ranges: readonly Range[];
  readonly filters: readonly (TermFilter | TextFilter)[];
  readonly bound?: Bound | undefined;
}

/** The positions of a page, and the version of the table that they are of. */
export interface FoundPage {
  readonly positions: readonly Position[];
  readonly version: string;
}

type FilterReader<T> = (filter: RowFilter, task: SlicedTask) => T | Promise<T>;

/**
 * An index in memory for lists by text: the words of all rows, their places in the tree and their orders.
 * Substrings can be anywhere in a word, so a search reads every word, once for each text; the result is
 * kept, and each changed row is tested by itself. It is exact: before each list, the rows that changed since the last
 * one are read, by their update time, which grows with every transaction.
 */
export class SearchIndex {
  readonly #source: RowSource;
  readonly #rows: IndexedRows;
  readonly #orders: RowOrders;
  readonly #matches: RowMatches;
  readonly #recent = new Map<string, number>();
  readonly #task: SlicedTask;
  readonly #words: number;
  /** The rows of the last lists, until a row changes: the page and the total of a list have the same. */
  readonly #filters = new Map<string, RowFilter>();
  readonly #places = new Map<string, PlaceFilter>();
  readonly #queue = new FairQueue(QUEUE_LIMITS);
  readonly #reading = new Semaphore(1);
  readonly #slices: TimeSlices;
  #version = "";
  #updated: number;

  private constructor(
    reader: Reader,
    source: RowSource,
    loaded: Awaited<ReturnType<typeof loadRows>>,
    { latestUpdate }: TableState,
    slices: TimeSlices,
  ) {
    this.#source = source;
    this.#rows = loaded.rows;
    this.#orders = new RowOrders(loaded.rows, source, loaded.byUid);
    this.#words = loaded.rows.words.size;
    this.#updated = latestUpdate;
    this.#slices = slices;
    this.#task = slices.task(OWNER);
    this.#matches = new RowMatches(reader, source.table.shape.name, loaded.rows, this.#task);
  }

  /** Loads all rows, in slices. */
  static async load(reader: Reader, source: RowSource, slices: TimeSlices): Promise<SearchIndex> {
    const before = await source.state();
    const loaded = await loadRows(source, slices.task(OWNER));
    return new SearchIndex(reader, source, loaded, before, slices);
  }

  /** Whether a newly loaded index would take far less memory. */
  get isWasteful(): boolean {
    const { all, unused } = this.#rows.listed;
    const added = this.#rows.words.size - this.#words;
    return unused > all / 2 + MIN_WASTE || added > this.#words + MIN_WASTE;
  }

  async page(query: SearchQuery, page: Page, asker: Asker): Promise<FoundPage> {
    await this.#orders.prepare(page.order.column, this.#task);
    return this.#search(query, asker, async (filter, task) => {
      const version = this.#version;
      return { positions: await this.#orders.page(filter, page, task), version };
    });
  }

  count(query: SearchQuery, asker: Asker): Promise<number> {
    return this.#search(query, asker, ({ count }) => count);
  }

  /** Whether nothing has changed since a page was found. */
  async isCurrent({ version }: FoundPage): Promise<boolean> {
    return (await this.#source.state()).version === version;
  }

  #search<T>(query: SearchQuery, asker: Asker, read: FilterReader<T>): Promise<T> {
    const { key } = shareOf(asker);
    const task = this.#slices.task(key, asker);
    return this.#queue.run(key, () => this.#read(query, task, read), asker.signal);
  }

  /** Reads from the rows of a list as they are now. One list reads at a time, and no row changes meanwhile. */
  async #read<T>(query: SearchQuery, task: SlicedTask, read: FilterReader<T>): Promise<T> {
    const { bound } = query;
    if (bound !== undefined) await this.#orders.prepare(bound.column, this.#task);
    const key = await rangesKey(query.ranges, task);
    for (;;) {
      const matches: RowMatch[] = [];
      for (const one of query.filters) matches.push(await this.#matches.of(one));
      const found = await this.#reading.run(async () => {
        await this.#sync(task);
        // Those that were dropped meanwhile may lack changes.
        if (!this.#matches.has(matches)) return undefined;
        return { result: await read(await this.#filter(query, key, matches, task), task) };
      });
      if (found !== undefined) return found.result;
    }
  }

  /** The rows of a list, with the key of its ranges. */
  async #filter(
    { ranges, filters, bound }: SearchQuery,
    key: string,
    matches: readonly RowMatch[],
    task: SlicedTask,
  ): Promise<RowFilter> {
    const listKey = `${JSON.stringify([filters, bound])} ${key}`;
    const known = this.#filters.get(listKey);
    if (known !== undefined) return known;
    const places = this.#places.get(key) ?? (await PlaceFilter.of(ranges, task));
    keepIn(this.#places, key, places, MAX_FILTERS);
    const times = bound && this.#orders.times(bound.column);
    const bounded = bound && times && { by: bound, times };
    const filter = await RowFilter.of(this.#rows, { places, matches, bound: bounded }, task);
    keepIn(this.#filters, listKey, filter, MAX_FILTERS);
    return filter;
  }

  /** Reads everything that was committed before the call. */
  async #sync(task: SlicedTask): Promise<void> {
    let state = await this.#source.state();
    for (let attempt = 0; attempt < MAX_ATTEMPTS && state.version !== this.#version; attempt++) {
      await this.#readChanges(task);
      if (this.#hasDeleted(state)) await this.#removeDeleted(task);
      const after = await this.#source.state();
      if (after.version === state.version) this.#version = state.version;
      state = after;
    }
  }

  async #readChanges(task: SlicedTask): Promise<void> {
    let latest = this.#updated;
    for await (const changed of this.#source.changes(this.#updated)) {
      for (const row of changed) {
        this.#apply(row);
        latest = Math.max(latest, row.updated);
        await task.pause();
      }
    }
    this.#updated = latest;
  }

  #apply(row: ChangedRow): void {
    this.#filters.clear();
    const isNew = !this.#rows.has(row.id, row.uid);
    const slot = this.#rows.put(row.id, row.uid, row.partition);
    const before = [...this.#rows.wordsOf(slot)].map((word) => this.#rows.words.at(word));
    const isSame =
      before.length === row.texts.length && row.texts.every((text) => before.includes(text));
    if (!isSame) {
      this.#rows.setWords(
        slot,
        row.texts.map((text) => this.#word(text)),
      );
    }
    this.#matches.changed(slot, row);
    this.#orders.changed(slot, row, isNew);
  }

  #word(text: string): number {
    const known = this.#recent.get(text);
    if (known !== undefined) return known;
    if (this.#recent.size >= MAX_RECENT_WORDS) this.#recent.clear();
    const word = this.#rows.words.add(text);
    this.#recent.set(text, word);
    return word;
  }

  /** Whether rows were deleted without a tombstone, as those of deleted groups are. */
  #hasDeleted({ rows }: TableState): boolean {
    return this.#source.partitions.some(
      (partition) => this.#rows.rowsIn(partition) > (rows.get(partition) ?? 0),
    );
  }

  async #removeDeleted(task: SlicedTask): Promise<void> {
    for await (const places of this.#source.shrunk(this.#rows.places)) {
      const kept = new Map<Place, Set<number>>();
      for (const place of places) {
        const ids = new Set<number>();
        for await (const some of this.#source.idsIn(place)) {
          for (const id of some) ids.add(id);
          await task.pause();
        }
        kept.set(place, ids);
      }
      if (kept.size > 0) await this.#removeOthers(kept, task);
    }
  }

  /** Removes the rows in some places but those with these ids. */
  async #removeOthers(kept: ReadonlyMap<Place, Set<number>>, task: SlicedTask): Promise<void> {
    const { places, placeOf, slots } = this.#rows;
    for (let slot = 0; slot < slots.size; slot++) {
      if (slot % SLOTS_PER_STEP === 0) await task.pause();
      const ids = kept.get(places[placeOf[slot] ?? NOWHERE] as Place);
      if (ids === undefined || ids.has(slots.idOf(slot))) continue;
      this.#filters.clear();
      this.#rows.remove(slot);
      this.#matches.changed(slot, undefined);
      this.#orders.removed(slot);
    }
  }
}
