import { type SlicedTask, TimeSlices } from "../../lib/time-slices.ts";
import type { Reader } from "../db/connection.ts";
import type { Bound, Position, Range } from "../resources/query.ts";
import type { TermFilter, TextFilter } from "../resources/terms.ts";
import type { IndexedRows, Place } from "./indexed-rows.ts";
import { loadRows } from "./load-rows.ts";
import { RowFilter } from "./row-filter.ts";
import { type ChangedRow, type RowMatch, TermMatch, TextMatch } from "./row-match.ts";
import { type Page, RowOrders } from "./row-orders.ts";
import type { RowSource, TableState } from "./row-source.ts";

/** Conditions whose rows are kept, an eighth of a byte for each row of the table. */
const MAX_MATCHES = 64;

/** Attempts to read a state of the table that no other write changes meanwhile. */
const MAX_ATTEMPTS = 8;

/** Words that are looked up again before they are added twice. */
const MAX_RECENT_WORDS = 10_000;

/** Numbers that may be unused before the index counts as wasteful, beside half of all. */
const MIN_WASTE = 100_000;

/** The rows of a list that a search index finds. */
export interface SearchQuery {
  readonly ranges: readonly Range[];
  readonly filters: readonly (TermFilter | TextFilter)[];
  readonly bound?: Bound | undefined;
}

interface KeptMatch {
  readonly match: RowMatch;
  readonly found: Promise<void>;
}

/**
 * An index in memory for lists by text: the words of all rows, their places in the tree and their orders.
 * Substrings can be anywhere in a word, so a search reads every word, once for each text; the result is
 * kept, and each changed row is tested by itself. It is exact: before each list, the rows that changed since the last
 * one are read, by their update time, which grows with every transaction.
 */
export class SearchIndex {
  readonly #source: RowSource;
  readonly #reader: Reader;
  readonly #rows: IndexedRows;
  readonly #orders: RowOrders;
  readonly #matches = new Map<string, KeptMatch>();
  readonly #recent = new Map<string, number>();
  readonly #task: SlicedTask;
  readonly #words: number;
  /** The rows of the last list, until a row changes: its page and its total have the same. */
  #last: { readonly key: string; readonly filter: RowFilter } | undefined;
  #version = "";
  #updated: number;
  #syncing: Promise<void> = Promise.resolve();

  private constructor(
    reader: Reader,
    source: RowSource,
    loaded: Awaited<ReturnType<typeof loadRows>>,
    { latestUpdate }: TableState,
    task: SlicedTask,
  ) {
    this.#reader = reader;
    this.#source = source;
    this.#rows = loaded.rows;
    this.#orders = new RowOrders(loaded.rows, source, loaded.byUid);
    this.#words = loaded.rows.words.size;
    this.#updated = latestUpdate;
    this.#task = task;
  }

  /** Loads all rows, in slices. */
  static async load(reader: Reader, source: RowSource): Promise<SearchIndex> {
    const task = new TimeSlices().task("search");
    const before = await source.state();
    const loaded = await loadRows(source, task);
    return new SearchIndex(reader, source, loaded, before, task);
  }

  /** Whether a newly loaded index would take far less memory. */
  get isWasteful(): boolean {
    const { all, unused } = this.#rows.listed;
    const added = this.#rows.words.size - this.#words;
    return unused > all / 2 + MIN_WASTE || added > this.#words + MIN_WASTE;
  }

  /** The positions of a page. */
  async page(query: SearchQuery, page: Page): Promise<Position[]> {
    await this.#orders.prepare(page.order.column, this.#task);
    return this.#orders.page(await this.#filter(query), page);
  }

  async count(query: SearchQuery): Promise<number> {
    return (await this.#filter(query)).count;
  }

  /** Whether nothing has changed since the last list. */
  async isCurrent(): Promise<boolean> {
    return (await this.#source.state()).version === this.#version;
  }

  /** The rows of a list as they are now. */
  async #filter({ ranges, filters, bound }: SearchQuery): Promise<RowFilter> {
    if (bound !== undefined) await this.#orders.prepare(bound.column, this.#task);
    for (;;) {
      const kept: KeptMatch[] = [];
      for (const one of filters) kept.push(await this.#match(one));
      await this.#synced();
      // Those that were dropped meanwhile may lack changes.
      const known = [...this.#matches.values()];
      if (!kept.every((one) => known.includes(one))) continue;
      const key = JSON.stringify([ranges, filters, bound]);
      if (this.#last?.key !== key) {
        const matches = kept.map(({ match }) => match);
        const times = bound && this.#orders.times(bound.column);
        const bounded = bound && times && { by: bound, times };
        const filter = new RowFilter(this.#rows, { ranges, matches, bound: bounded });
        this.#last = { key, filter };
      }
      return this.#last.filter;
    }
  }

  async #match(filter: TermFilter | TextFilter): Promise<KeptMatch> {
    const key = JSON.stringify(filter);
    let kept = this.#matches.get(key);
    if (kept === undefined) {
      const { name } = this.#source.table.shape;
      const match =
        "text" in filter
          ? new TextMatch(filter, this.#rows)
          : new TermMatch(filter, this.#rows, this.#reader, name);
      kept = { match, found: match.find(this.#task) };
    }
    // The least recently used come first.
    this.#matches.delete(key);
    this.#matches.set(key, kept);
    const [oldest] = this.#matches.keys();
    if (this.#matches.size > MAX_MATCHES && oldest !== undefined) this.#matches.delete(oldest);
    try {
      await kept.found;
    } catch (error) {
      if (this.#matches.get(key) === kept) this.#matches.delete(key);
      throw error;
    }
    return kept;
  }

  /** Resolves when the index has everything that was committed before the call. */
  #synced(): Promise<void> {
    const synced = this.#syncing.then(() => this.#sync());
    this.#syncing = synced.catch(() => {});
    return synced;
  }

  async #sync(): Promise<void> {
    let state = await this.#source.state();
    for (let attempt = 0; attempt < MAX_ATTEMPTS && state.version !== this.#version; attempt++) {
      await this.#readChanges();
      if (this.#hasDeleted(state)) await this.#removeDeleted();
      const after = await this.#source.state();
      if (after.version === state.version) this.#version = state.version;
      state = after;
    }
  }

  async #readChanges(): Promise<void> {
    let latest = this.#updated;
    for await (const changed of this.#source.changes(this.#updated)) {
      for (const row of changed) {
        this.#apply(row);
        latest = Math.max(latest, row.updated);
      }
      await this.#task.pause();
    }
    this.#updated = latest;
  }

  #apply(row: ChangedRow): void {
    this.#last = undefined;
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
    for (const { match } of this.#matches.values()) {
      if (match.test(row)) match.rows.add(slot);
      else match.rows.delete(slot);
    }
    this.#orders.changed(slot, row);
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
    return this.#source.partitions.some((partition) => {
      const own = this.#rows.places.filter((place) => place.partition === partition);
      return own.reduce((sum, place) => sum + place.rows, 0) > (rows.get(partition) ?? 0);
    });
  }

  async #removeDeleted(): Promise<void> {
    for await (const some of this.#source.shrunk(this.#rows.places)) {
      for (const place of some) await this.#removeDeletedIn(place);
    }
  }

  async #removeDeletedIn(place: Place): Promise<void> {
    const number = this.#rows.places.indexOf(place);
    const kept = new Set<number>();
    for await (const ids of this.#source.idsIn(place)) {
      for (const id of ids) kept.add(id);
      await this.#task.pause();
    }
    this.#last = undefined;
    const { placeOf, slots } = this.#rows;
    for (let slot = 0; slot < slots.size; slot++) {
      if (placeOf[slot] !== number || kept.has(slots.idOf(slot))) continue;
      this.#rows.remove(slot);
      for (const { match } of this.#matches.values()) match.rows.delete(slot);
      this.#orders.removed(slot);
    }
  }
}
