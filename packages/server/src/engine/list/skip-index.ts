import { BoundedCache } from "../../lib/bounded-cache.ts";
import type { Position, Start } from "../../store/resources/query.ts";

/** Lists with indexed positions kept at most. */
const MAX_LISTS = 200;

/** A list that can be traversed from any of its rows. */
export interface TraversableList {
  /** Identifies the list. */
  readonly key: string;
  /** Changes whenever anything in the list changes. */
  version(): Promise<string>;
  /** Begins a traversal with the row at the start. */
  traverse(start: Start | undefined): Traversal;
}

export interface Traversal {
  /** Skips rows and returns the position reached; undefined when the list has fewer rows. */
  advance(rows: number): Promise<Position | undefined>;
}

/** Where to start reading, and how many rows to skip from there. */
export interface SkipStart {
  readonly start: Start | undefined;
  readonly skip: number;
}

interface IndexedPositions {
  /** The list's version at which the positions were read. With another one they are void. */
  readonly version: string;
  readonly positions: Position[];
}

/**
 * Keeps the position of every stride-th row of a list, so that a deep skip does not read all rows
 * before its target each time. Results are exact: positions are valid only while the list's version
 * stays the same, and the first deep skip after a change traverses the list and indexes it again.
 */
export class SkipIndex {
  readonly #stride: number;
  readonly #lists = new BoundedCache<string, IndexedPositions>({ maxEntries: MAX_LISTS });

  constructor(stride: number) {
    this.#stride = stride;
  }

  /** The indexed row nearest before the row that a skip leads to, and how many rows are left to skip. */
  async shorten(list: TraversableList, skip: number): Promise<SkipStart> {
    const stride = this.#stride;
    if (skip < stride) return { start: undefined, skip };
    const positions = await this.#positions(list);
    const wanted = Math.floor(skip / stride);
    let traversal: Traversal | undefined;
    while (positions.length < wanted) {
      const last = positions.at(-1);
      traversal ??= list.traverse(from(last));
      const next = await traversal.advance(stride);
      // A concurrent skip may have indexed this row: continue from the last row that it indexed.
      if (positions.at(-1) !== last) {
        traversal = undefined;
        continue;
      }
      if (next === undefined) return { start: from(last), skip: skip - positions.length * stride };
      positions.push(next);
      // Yields to other requests: a traversal can cover hundreds of thousands of rows.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { start: from(positions[wanted - 1]), skip: skip - wanted * stride };
  }

  async #positions(list: TraversableList): Promise<Position[]> {
    const version = await list.version();
    let indexed = this.#lists.get(list.key);
    if (indexed?.version !== version) {
      indexed = { version, positions: [] };
      this.#lists.set(list.key, indexed);
    }
    return indexed.positions;
  }
}

function from(position: Position | undefined): Start | undefined {
  return position && { ...position, inclusive: true };
}
