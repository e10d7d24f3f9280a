import type { Reader } from "../store/connection.ts";
import { countsOf, type PageQuery, type Position, readPositions } from "../store/page.ts";
import type { ResourceTable } from "../store/resource-table.ts";

/** Landmarks are this many rows apart: a skip never walks further from the nearest one. */
const APART = 5_000;

/** Lists whose landmarks are kept at most. */
const REMEMBERED = 200;

interface Known {
  /** What `changes` of the range's place was when these were found; when it moves, they are void. */
  readonly changes: number;
  /** The position of every APART-th row, as far as anyone has come. */
  readonly positions: Position[];
}

/**
 * Remembers where every so-manieth row of a list stands, so that jumping far into it does not walk
 * there each time. Nothing is approximate: landmarks hold only while nothing in the range has
 * changed, and the first jump after a change walks, leaving new ones on its way.
 */
export class Landmarks {
  readonly #known = new Map<string, Known>();

  /**
   * The same query with a shorter way to its first row.
   *
   * @example const rows = await readPage(reader, table, await landmarks.shorten(key, reader, table, query), "json");
   */
  async shorten(
    key: string,
    reader: Reader,
    table: ResourceTable,
    query: PageQuery,
  ): Promise<PageQuery> {
    if (query.start !== undefined || query.offset < APART || "uids" in query.range) return query;
    const positions = await this.#positions(key, reader, table, query);
    const wanted = Math.floor(query.offset / APART);
    while (positions.length < wanted) {
      const last = positions.at(-1);
      const [next] = await readPositions(reader, table, {
        ...query,
        ...from(last),
        offset: APART,
        limit: 1,
      });
      // Another jump may have come this far in the meantime.
      if (positions.at(-1) !== last) continue;
      if (next === undefined)
        return { ...query, ...from(last), offset: query.offset - positions.length * APART };
      positions.push(next);
      // Rows walked by the hundred thousand must not keep everyone else waiting.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { ...query, ...from(positions[wanted - 1]), offset: query.offset - wanted * APART };
  }

  async #positions(
    key: string,
    reader: Reader,
    table: ResourceTable,
    query: PageQuery,
  ): Promise<Position[]> {
    const { changes } = await countsOf(reader, table, query.range);
    let known = this.#known.get(key);
    this.#known.delete(key);
    if (known?.changes !== changes) known = { changes, positions: [] };
    this.#known.set(key, known);
    if (this.#known.size > REMEMBERED) {
      const [oldest] = this.#known.keys();
      this.#known.delete(oldest as string);
    }
    return known.positions;
  }
}

function from(position: Position | undefined): Pick<PageQuery, "start"> {
  return { start: position && { ...position, inclusive: true } };
}
