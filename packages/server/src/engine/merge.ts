import { Heap } from "../lib/heap.ts";
import type { SlicedTask } from "../lib/time-slices.ts";
import type { Order, Position, Range, Start } from "../store/resources/query.ts";
import type { Traversal } from "./skip-index.ts";

/** Reads where the rows of a range stand, from a start. */
export type Fetch = (range: Range, start: Start | undefined, limit: number) => Promise<Position[]>;

/** Positions read from one range at a time, at most. */
const MAX_CHUNK = 500;

/** What that grows to, however many ranges there are. */
const MIN_GROWN_CHUNK = 16;

/** Positions held in memory for all ranges together, about. */
const MAX_HELD = 50_000;

/** Ranges that are read at the same time. */
const CONCURRENCY = 16;

/** Rows that are passed between two pauses. */
const ROWS_PER_PAUSE = 256;

/** What is walked through. */
export interface MergedList {
  readonly ranges: readonly Range[];
  readonly order: Order;
  readonly start: Start | undefined;
}

/** Walks through many ranges in one order, as if they were one. */
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
    for (let passed = 0; passed < rows; passed++) {
      const least = this.#heads.least;
      if (least === undefined) return undefined;
      const wait = least.advance();
      if (wait !== undefined) await wait;
      if (least.head === undefined) this.#heads.removeLeast();
      else this.#heads.leastGrew();
      if (passed % ROWS_PER_PAUSE === 0) await this.#task.pause();
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

/** The positions of one range, fetched in chunks that grow as they are used up. */
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

  /** Undefined where nothing has to be read, as mostly. */
  advance(): Promise<void> | undefined {
    this.#at += 1;
    if (this.#at < this.#size || this.#chunk.length < this.#size) return undefined;
    const last = this.#chunk.at(-1) as Position;
    this.#size = Math.min(this.#size * 2, this.#largest);
    return this.open({ ...last, inclusive: false });
  }
}

/**
 * Compares as the databases do: text by its bytes, which for what keys hold is by its characters.
 *
 * @example positions.sort(positionOrder({ column: "name", descending: false }))
 */
export function positionOrder({ descending }: Order): (a: Position, b: Position) => number {
  const sign = descending ? -1 : 1;
  return (a, b) => {
    if (a.key !== b.key) return a.key < b.key ? -sign : sign;
    return (a.id - b.id) * sign;
  };
}
