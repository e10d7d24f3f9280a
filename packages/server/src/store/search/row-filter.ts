import { slicedSort } from "../../lib/scheduling/sliced-sort.ts";
import type { SlicedTask } from "../../lib/scheduling/time-slices.ts";
import type { Bound } from "../resources/query.ts";
import type { IndexedRows } from "./indexed-rows.ts";
import type { PlaceFilter } from "./place-filter.ts";
import type { RowMatch } from "./row-match.ts";
import type { Compare } from "./row-order.ts";

/** Which rows a list has. */
export interface RowConditions {
  readonly places: PlaceFilter;
  readonly matches: readonly RowMatch[];
  /** A bound of the update time, and these times by slot. */
  readonly bound?: { readonly by: Bound; readonly times: Float64Array } | undefined;
}

/** Up to this many rows are sorted; more are found on a walk through all rows in order. */
const MAX_SORTED_ROWS = 4_096;

/** Rows sorted between two points where other tasks may run: a comparison may build two uids. */
const SORTED_PER_STEP = 256;

/** Words of thirty-two rows that are tested between two such points. */
const WORDS_PER_STEP = 256;

/** The rows of one list, as they were when it was made: no row may change meanwhile. */
export class RowFilter {
  /** How many they are. */
  readonly count: number;
  readonly #rows: Uint32Array;

  private constructor(count: number, rows: Uint32Array) {
    this.count = count;
    this.#rows = rows;
  }

  static async of(
    rows: IndexedRows,
    { places, matches, bound }: RowConditions,
    task: SlicedTask,
  ): Promise<RowFilter> {
    const isWithin = await places.flags(rows.places, task);
    const isBounded = bound === undefined ? undefined : within(bound.by, bound.times);
    const found = new Uint32Array((rows.slots.size + 31) >>> 5);
    let count = 0;
    for (let from = 0; from < found.length; from += WORDS_PER_STEP) {
      const step = found.subarray(from, from + WORDS_PER_STEP);
      intersect(matches, from, step);
      count += keepWithin(step, from, rows.placeOf, isWithin, isBounded);
      await task.pause();
    }
    return new RowFilter(count, found);
  }

  has(slot: number): boolean {
    return (((this.#rows[slot >>> 5] as number) >>> (slot & 31)) & 1) === 1;
  }

  /** The slots of its rows in an order; undefined if they are too many to be sorted. */
  async sorted(compare: Compare, task: SlicedTask): Promise<Uint32Array | undefined> {
    if (this.count > MAX_SORTED_ROWS) return undefined;
    const own: number[] = [];
    for (let at = 0; at < this.#rows.length; at++) {
      for (let left = this.#rows[at] as number; left !== 0; left &= left - 1) {
        own.push(at * 32 + 31 - Math.clz32(left & -left));
      }
    }
    return Uint32Array.from(await slicedSort(own, compare, task, SORTED_PER_STEP));
  }
}

function within(
  { after, until = Number.POSITIVE_INFINITY }: Bound,
  times: Float64Array,
): (slot: number) => boolean {
  return (slot) => {
    const time = times[slot] ?? 0;
    return time > after && time <= until;
  };
}

/** Sets words to the rows that meet all conditions, thirty-two in each, from a word on. */
function intersect(matches: readonly RowMatch[], from: number, into: Uint32Array): void {
  into.fill(0xffffffff);
  for (const { rows, excluded } of matches) {
    const { words } = rows;
    for (let at = 0; at < into.length; at++) {
      const word = words[from + at] ?? 0;
      into[at] = (into[at] as number) & (excluded ? ~word : word);
    }
  }
}

/** Keeps the rows in some places, and returns how many these are. */
function keepWithin(
  found: Uint32Array,
  from: number,
  placeOf: Uint32Array,
  isWithin: Uint8Array,
  isBounded: ((slot: number) => boolean) | undefined,
): number {
  let count = 0;
  for (let at = 0; at < found.length; at++) {
    let kept = found[at] as number;
    for (let left = kept; left !== 0; left &= left - 1) {
      const bit = left & -left;
      const slot = (from + at) * 32 + 31 - Math.clz32(bit);
      const isKept = isWithin[placeOf[slot] as number] === 1;
      if (isKept && (isBounded === undefined || isBounded(slot))) count++;
      else kept &= ~bit;
    }
    found[at] = kept;
  }
  return count;
}
