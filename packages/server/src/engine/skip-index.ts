import { BoundedCache } from "../lib/bounded-cache.ts";
import type { Position, Start } from "../store/resources/query.ts";

/** Landmarks are this many rows apart: a skip never walks further from the nearest one. */
const APART = 5_000;

/** Lists whose landmarks are kept at most. */
const REMEMBERED = 200;

/** A list that can be walked from any of its rows. */
export interface Walkable {
  /** Tells it from every other list. */
  readonly key: string;
  /** Differs whenever anything in the list has changed. */
  changes(): Promise<string>;
  /** Begins a walk with the row at the start. */
  walk(start: Start | undefined): Walk;
}

/** A way through a list, row by row. */
export interface Walk {
  /** Goes so many rows further. Where that row stands; undefined when there are not that many. */
  advance(rows: number): Promise<Position | undefined>;
}

/** From where to walk, and how far. */
export interface Way {
  readonly start: Start | undefined;
  readonly skip: number;
}

interface Known {
  /** What `changes` was when these were found; when it differs, they are void. */
  readonly changes: string;
  /** The position of every APART-th row, as far as anyone has come. */
  readonly positions: Position[];
}

/**
 * Remembers the position of every APART-th row of a list, so that jumping far into it does not walk
 * there each time. Nothing is approximate: landmarks hold only while nothing in the list has
 * changed, and the first jump after a change walks, leaving new ones on its way.
 */
export class Landmarks {
  readonly #known = new BoundedCache<string, Known>({ maxEntries: REMEMBERED });

  /**
   * A shorter way to the row that so many come before.
   *
   * @example const { start, skip } = await landmarks.shorten(list, 90_000);
   */
  async shorten(list: Walkable, skip: number): Promise<Way> {
    if (skip < APART) return { start: undefined, skip };
    const positions = await this.#positions(list);
    const wanted = Math.floor(skip / APART);
    let walk: Walk | undefined;
    while (positions.length < wanted) {
      const last = positions.at(-1);
      walk ??= list.walk(from(last));
      const next = await walk.advance(APART);
      // Another jump may have come this far in the meantime: go on from where it came.
      if (positions.at(-1) !== last) {
        walk = undefined;
        continue;
      }
      if (next === undefined) return { start: from(last), skip: skip - positions.length * APART };
      positions.push(next);
      // Rows walked by the hundred thousand must not keep everyone else waiting.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { start: from(positions[wanted - 1]), skip: skip - wanted * APART };
  }

  async #positions(list: Walkable): Promise<Position[]> {
    const changes = await list.changes();
    let known = this.#known.get(list.key);
    if (known?.changes !== changes) {
      known = { changes, positions: [] };
      this.#known.set(list.key, known);
    }
    return known.positions;
  }
}

function from(position: Position | undefined): Start | undefined {
  return position && { ...position, inclusive: true };
}
