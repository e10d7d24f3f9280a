import { BoundedCache } from "../../lib/bounded-cache.ts";
import type { SlicedTask } from "../../lib/scheduling/time-slices.ts";
import type { Reader } from "../../store/db/connection.ts";
import {
  type PostingKind,
  postedValues,
  readPostings,
} from "../../store/tables/audit/audit-index.ts";
import { decodePositions, type Positions, unite } from "./positions.ts";
import type { Term } from "./terms.ts";

/** Postings that are read between two points where other requests may run. */
const BATCH_SIZE = 200;

/** The cache of postings, and the approximate memory of one. */
const CACHE_BOUNDS = { maxEntries: 2_000, maxBytes: 32 * 1024 * 1024 };
const POSTING_BYTES = 256;

/** The positions of a term in all segments before one. */
interface Known {
  readonly end: number;
  readonly positions: ReadonlyMap<number, Positions>;
}

/**
 * The postings of terms, cached: those of an indexed segment never change. Only segments that were indexed since are
 * read again.
 */
export class Postings {
  readonly #known = new BoundedCache<string, Known>(CACHE_BOUNDS);
  #values:
    | { readonly kind: PostingKind; readonly end: number; readonly values: string[] }
    | undefined;

  /** The positions of the entries with a term, by segment, for segments before `end`. Must not be changed. */
  async of(
    reader: Reader,
    [kind, value]: Term,
    end: number,
    task: SlicedTask,
  ): Promise<ReadonlyMap<number, Positions>> {
    const key = `${kind} ${value}`;
    const known = this.#known.get(key);
    if (known !== undefined && known.end >= end) return known.positions;
    const positions = new Map(known?.positions);
    for (let from = known?.end ?? 0; from < end; ) {
      const added = await readPostings(reader, kind, value, from, end, BATCH_SIZE);
      for (const [segment, text] of added) positions.set(segment, decodePositions(text));
      const last = added.length < BATCH_SIZE ? undefined : added.at(-1);
      from = last === undefined ? end : last[0] + 1;
      await task.pause();
    }
    this.#keep(key, { end, positions });
    return positions;
  }

  /** As `of`, of the entries that have any of several terms: a pattern of methods stands for dozens. */
  async ofAny(
    reader: Reader,
    terms: readonly Term[],
    end: number,
    task: SlicedTask,
  ): Promise<ReadonlyMap<number, Positions>> {
    const [only, ...others] = terms;
    if (only === undefined) return new Map();
    if (others.length === 0) return this.of(reader, only, end, task);
    const key = JSON.stringify(terms);
    const known = this.#known.get(key);
    if (known !== undefined && known.end >= end) return known.positions;
    const positions = new Map(known?.positions);
    for (const term of terms) {
      for (const [segment, found] of await this.of(reader, term, end, task)) {
        if (segment < (known?.end ?? 0)) continue;
        const united = positions.get(segment);
        if (united === undefined) positions.set(segment, found.slice());
        else unite(united, found);
        await task.pause();
      }
    }
    this.#keep(key, { end, positions });
    return positions;
  }

  #keep(key: string, known: Known): void {
    this.#known.set(key, known, key.length + POSTING_BYTES * (known.positions.size + 1));
  }

  /** The values of a kind that has few of them, in segments before `end`. */
  async values(reader: Reader, kind: PostingKind, end: number): Promise<readonly string[]> {
    if (this.#values?.kind === kind && this.#values.end === end) return this.#values.values;
    const values = await postedValues(reader, kind);
    this.#values = { kind, end, values };
    return values;
  }
}
