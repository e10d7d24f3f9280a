import type { SlicedTask } from "../../lib/scheduling/time-slices.ts";
import type { Reader } from "../db/connection.ts";
import type { TermFilter, TextFilter } from "../resources/terms/terms.ts";
import type { IndexedRows } from "./indexed-rows.ts";
import { type ChangedRow, type RowMatch, TermMatch, TextMatch } from "./row-match.ts";

/** Conditions whose rows are kept, an eighth of a byte for each row of the table. */
const MAX_MATCHES = 64;

interface KeptMatch {
  readonly match: RowMatch;
  readonly found: Promise<void>;
}

/** The rows that meet the last conditions, corrected by each change. */
export class RowMatches {
  readonly #reader: Reader;
  readonly #table: string;
  readonly #rows: IndexedRows;
  readonly #task: SlicedTask;
  readonly #kept = new Map<string, KeptMatch>();

  constructor(reader: Reader, table: string, rows: IndexedRows, task: SlicedTask) {
    this.#reader = reader;
    this.#table = table;
    this.#rows = rows;
    this.#task = task;
  }

  /** The rows that meet a condition. */
  async of(filter: TermFilter | TextFilter): Promise<RowMatch> {
    const key = JSON.stringify(filter);
    let kept = this.#kept.get(key);
    if (kept === undefined) {
      const match =
        "text" in filter
          ? new TextMatch(filter, this.#rows)
          : new TermMatch(filter, this.#rows, this.#reader, this.#table);
      kept = { match, found: match.find(this.#task) };
    }
    keepIn(this.#kept, key, kept, MAX_MATCHES);
    try {
      await kept.found;
    } catch (error) {
      if (this.#kept.get(key) === kept) this.#kept.delete(key);
      throw error;
    }
    return kept.match;
  }

  /** Whether all of these are kept. */
  has(matches: readonly RowMatch[]): boolean {
    const kept = new Set(this.#kept.values().map(({ match }) => match));
    return matches.every((one) => kept.has(one));
  }

  /** Tests a row that has changed; undefined if it is gone. */
  changed(slot: number, row: ChangedRow | undefined): void {
    for (const { match } of this.#kept.values()) match.changed(slot, row);
  }
}

/** Sets the value of a key, of which the map keeps the most recently used. */
export function keepIn<V>(map: Map<string, V>, key: string, value: V, size: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > size && oldest !== undefined) map.delete(oldest);
}
