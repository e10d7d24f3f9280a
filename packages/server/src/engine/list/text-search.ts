import { QueueFullError } from "../../lib/scheduling/fair-queue.ts";
import { TimeSlices } from "../../lib/scheduling/time-slices.ts";
import type { Call } from "../../rpc/call.ts";
import type { Reader } from "../../store/db/connection.ts";
import { tooManyReads } from "../../store/db/read/costly-reads.ts";
import { readRowsById } from "../../store/resources/page.ts";
import type { Bound, Condition, Range } from "../../store/resources/query.ts";
import { countsOf } from "../../store/resources/range-counts.ts";
import type { ResourceTable } from "../../store/resources/resource-table.ts";
import type { PageRow } from "../../store/resources/rows.ts";
import type { TermFilter, TextFilter } from "../../store/resources/terms/terms.ts";
import { RowSource } from "../../store/search/row-source.ts";
import { SearchIndex, type SearchQuery } from "../../store/search/search-index.ts";
import type { ResourceMessage } from "../definition.ts";
import type { EngineLimits } from "../limits.ts";
import type { Resource } from "../resource.ts";
import type { Scan } from "./scan.ts";

/** Beyond this, an index would take half a gigabyte: lists by text read the store instead. */
const MAX_ROWS = 10_000_000;

/** An index that no list has used for so long is dropped. */
const IDLE_MS = 60 * 60_000;

/** Attempts to read the rows of a page before one of them changes. */
const MAX_ATTEMPTS = 4;

/** Finds the rows of lists by text. */
export interface TextSearch {
  rows(scan: Scan): Promise<PageRow[]>;
  count(scan: Scan): Promise<number>;
}

/** A loaded index, or one that is being loaded. */
interface Kept {
  index: Promise<SearchIndex>;
  isReloading: boolean;
  idle: NodeJS.Timeout;
}

/**
 * Lists by text, for tables of more rows than a statement tests in a few milliseconds. The first such list
 * loads the index of its table, in time slices, and waits for it.
 */
export class TextSearches {
  readonly #reader: Reader;
  readonly #minRows: number;
  readonly #slices: TimeSlices;
  readonly #kept = new Map<ResourceTable, Kept>();

  constructor(reader: Reader, { minSearchedRows, searchSliceMs }: EngineLimits) {
    this.#reader = reader;
    this.#minRows = minSearchedRows;
    this.#slices = new TimeSlices(searchSliceMs);
  }

  /** The search for a list with these conditions; undefined where the store answers it as well. */
  async for<R extends ResourceMessage>(
    call: Call,
    { table, definition }: Resource<R>,
    filters: readonly Condition[],
    ranges: readonly Range[],
  ): Promise<TextSearch | undefined> {
    if (!filters.some((one) => "text" in one) || !definition.index?.monotonicUpdateTime) return;
    const isOnColumn = filters.some((one) => "value" in one || "prefix" in one);
    if (isOnColumn || ranges.some((one) => "uids" in one)) return;
    const { descendants } = await countsOf(this.#reader, table, { everything: true });
    if (descendants < this.#minRows || descendants > MAX_ROWS) return;
    const searched = (definition.index.terms ?? []).filter(({ isSearched }) => isSearched);
    const kinds = searched.map(({ kind }) => kind);
    const index = () => this.#index(table, kinds);
    return {
      rows: (scan) => this.#rows(index, scan, call),
      count: async (scan) => (await index()).count(queryOf(scan), call).catch(rejection),
    };
  }

  async #rows(index: () => Promise<SearchIndex>, scan: Scan, call: Call): Promise<PageRow[]> {
    const { table, form, task } = scan;
    for (let attempt = 1; ; attempt++) {
      const search = await index();
      const found = await search.page(queryOf(scan), scan, call).catch(rejection);
      const { positions } = found;
      if (form === "keys") return positions.map(({ key, id }): PageRow => [key, id, 0, ""]);
      const ids = positions.map(({ id }) => id);
      const byId = await readRowsById(this.#reader, table, ids, form, task);
      const isWhole = byId.size === ids.length;
      // Rows that change between the two reads may no longer belong to the page.
      if (isWhole && (attempt >= MAX_ATTEMPTS || (await search.isCurrent(found)))) {
        return positions.map(({ key, id }): PageRow => {
          const [encoding, body] = byId.get(id) as readonly [number, PageRow[3]];
          return [key, id, encoding, body];
        });
      }
      // Somebody has changed the database by hand.
      if (attempt === MAX_ATTEMPTS) this.#kept.delete(table);
      if (attempt > MAX_ATTEMPTS)
        throw new Error(`${table.shape.name} change faster than they are read`);
    }
  }

  async #index(table: ResourceTable, kinds: readonly string[]): Promise<SearchIndex> {
    const source = () => new RowSource(this.#reader, table, kinds);
    let kept = this.#kept.get(table);
    if (kept === undefined) {
      const index = SearchIndex.load(this.#reader, source(), this.#slices);
      const idle = setTimeout(() => this.#kept.delete(table), IDLE_MS).unref();
      kept = { index, isReloading: false, idle };
      this.#kept.set(table, kept);
      index.catch(() => this.#kept.delete(table));
    }
    kept.idle.refresh();
    const index = await kept.index;
    if (index.isWasteful && !kept.isReloading) void this.#reload(kept, source());
    return index;
  }

  /** Replaces an index once the new one is loaded. */
  async #reload(kept: Kept, source: RowSource): Promise<void> {
    kept.isReloading = true;
    try {
      kept.index = Promise.resolve(await SearchIndex.load(this.#reader, source, this.#slices));
    } catch {
      // The next list tries again.
    } finally {
      kept.isReloading = false;
    }
  }
}

function rejection(error: unknown): never {
  throw error instanceof QueueFullError ? tooManyReads(error) : error;
}

function queryOf({ ranges, filters }: Scan): SearchQuery {
  return {
    ranges,
    filters: filters.filter((one): one is TermFilter | TextFilter => !("column" in one)),
    bound: filters.find((one): one is Bound => "after" in one),
  };
}
