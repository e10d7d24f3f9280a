import { Heap } from "../../lib/heap.ts";
import type { SlicedTask } from "../../lib/scheduling/time-slices.ts";
import type { Order, Position, Range, Start } from "../../store/resources/query.ts";
import type { Traversal } from "./skip-index.ts";

/** Reads the positions of rows of a range, from a start. */
export type Fetch = (range: Range, start: Start | undefined, limit: number) => Promise<Position[]>;

/** Positions read from one range by one statement. */
const MAX_CHUNK = 500;

/** The chunk size of a range grows at least to this, however many ranges there are. */
const MIN_GROWN_CHUNK = 16;

/** Positions in memory for all ranges together, approximately. */
const MAX_HELD = 50_000;

/** Ranges that are read concurrently. */
const CONCURRENCY = 16;

/** Rows skipped between two points where other tasks may run. */
const ROWS_PER_PAUSE = 256;

export interface MergedList {
  readonly ranges: readonly Range[];
  readonly order: Order;
  readonly start: Start | undefined;
}

/** Merges the ordered rows of many ranges into one order, without reading more than it needs. */
export class MergedTraversal implements Traversal {
  readonly #list: MergedList;
  readonly #fetch: Fetch;
  readonly #task: SlicedTask;
  #heads: Heap<Stream> | undefined;

  constructor(list: MergedList, fetch: Fetch, task: SlicedTask) {
    this.#list = list;
    this.#fetch = fetch;
    this.#task = task;
  }

  async advance(rows: number): Promise<Position | undefined> {
    this.#heads ??= await this.#open(rows);
    for (let skipped = 0; skipped < rows; skipped++) {
      const least = this.#heads.least;
      if (least === undefined) return undefined;
      const wait = least.advance();
      if (wait !== undefined) await wait;
      if (least.head === undefined) this.#heads.removeLeast();
      else this.#heads.leastGrew();
      if (skipped % ROWS_PER_PAUSE === 0) await this.#task.pause();
    }
    return this.#heads.least?.head;
  }

  async #open(rows: number): Promise<Heap<Stream>> {
    const { ranges, order, start } = this.#list;
    const count = ranges.length;
    const largest = Math.min(Math.max(Math.floor(MAX_HELD / count), MIN_GROWN_CHUNK), MAX_CHUNK);
    const first = Math.min(Math.max(Math.ceil((2 * rows) / count), 1), largest);
    const streams: Stream[] = [];
    for (let at = 0; at < count; at += CONCURRENCY) {
      const some = ranges.slice(at, at + CONCURRENCY).map(async (range) => {
        const next = (start: Start | undefined, limit: number) => this.#fetch(range, start, limit);
        const stream = new Stream(next, first, largest);
        await stream.open(start);
        return stream;
      });
      streams.push(...(await Promise.all(some)));
      await this.#task.pause();
    }
    const compare = positionOrder(order);
    return new Heap(
      streams.filter(({ head }) => head !== undefined),
      (a, b) => compare(a.head as Position, b.head as Position),
    );
  }
}

/** The positions of one range, read ahead in chunks that double in size. */
class Stream {
  readonly #next: (start: Start | undefined, limit: number) => Promise<Position[]>;
  readonly #largest: number;
  #size: number;
  #chunk: readonly Position[] = [];
  #at = 0;

  constructor(
    next: (start: Start | undefined, limit: number) => Promise<Position[]>,
    size: number,
    largest: number,
  ) {
    this.#next = next;
    this.#size = size;
    this.#largest = largest;
  }

  async open(start: Start | undefined): Promise<void> {
    this.#chunk = await this.#next(start, this.#size);
    this.#at = 0;
  }

  get head(): Position | undefined {
    return this.#chunk[this.#at];
  }

  /** Resolves once the next chunk is read; undefined, as mostly, when none has to be. */
  advance(): Promise<void> | undefined {
    this.#at += 1;
    if (this.#at < this.#size || this.#chunk.length < this.#size) return undefined;
    const last = this.#chunk.at(-1) as Position;
    this.#size = Math.min(this.#size * 2, this.#largest);
    return this.open({ ...last, inclusive: false });
  }
}

/**
 * Compares positions as the databases do: text by bytes, which for the characters of keys equals the
 * order of JavaScript strings.
 */
export function positionOrder({ descending }: Order): (a: Position, b: Position) => number {
  const sign = descending ? -1 : 1;
  return (a, b) => {
    if (a.key !== b.key) return a.key < b.key ? -sign : sign;
    return (a.id - b.id) * sign;
  };
}
