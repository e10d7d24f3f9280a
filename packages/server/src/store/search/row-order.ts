import { slicedSort } from "../../lib/scheduling/sliced-sort.ts";
import type { SlicedTask } from "../../lib/scheduling/time-slices.ts";
import { BitSet } from "./bit-set.ts";

/** Compares two slots. */
export type Compare = (a: number, b: number) => number;

/** Slots copied, and slots sorted or inserted, between two points where other tasks may run. */
const COPIED_PER_STEP = 16_384;
const SORTED_PER_STEP = 256;

/** All rows in one order. Changes are gathered, and merged when the order is next read. */
export class RowOrder {
  readonly compare: Compare;
  #slots: Uint32Array = new Uint32Array(0);
  readonly #changed = new Map<number, boolean>();

  constructor(compare: Compare) {
    this.compare = compare;
  }

  /** Sets all rows but those that have changed before, in their order. */
  fill(slots: Uint32Array): void {
    this.#slots = slots;
  }

  /** Records that a row is new, has a new position, or is gone. */
  changed(slot: number, exists: boolean): void {
    this.#changed.set(slot, exists);
  }

  /** Whether a row has changed since the order was last read. */
  hasChanged(slot: number): boolean {
    return this.#changed.has(slot);
  }

  /** The slots of all rows in order. No row may change meanwhile. */
  async slots(task: SlicedTask): Promise<Uint32Array> {
    if (this.#changed.size > 0) {
      const added = [...this.#changed].flatMap(([slot, exists]) => (exists ? [slot] : []));
      const changed = new BitSet();
      for (const slot of this.#changed.keys()) changed.add(slot);
      const rest = await without(this.#slots, changed, task);
      const sorted = await slicedSort(added, this.compare, task, SORTED_PER_STEP);
      this.#slots = await mergeOrders(rest, Uint32Array.from(sorted), this.compare, task);
      this.#changed.clear();
    }
    return this.#slots;
  }
}

async function without(all: Uint32Array, left: BitSet, task: SlicedTask): Promise<Uint32Array> {
  const rest = new Uint32Array(all.length);
  let count = 0;
  for (let from = 0; from < all.length; from += COPIED_PER_STEP) {
    const to = Math.min(from + COPIED_PER_STEP, all.length);
    for (let at = from; at < to; at++) {
      const slot = all[at] as number;
      if (!left.has(slot)) rest[count++] = slot;
    }
    await task.pause();
  }
  return rest.subarray(0, count);
}

/** Merges two ordered arrays, of which the second is mostly the shorter one. */
export async function mergeOrders(
  a: Uint32Array,
  b: Uint32Array,
  compare: Compare,
  task: SlicedTask,
): Promise<Uint32Array> {
  if (a.length === 0) return b;
  const merged = new Uint32Array(a.length + b.length);
  let from = 0;
  for (let at = 0; at <= b.length; at++) {
    const slot = b[at];
    const to = slot === undefined ? a.length : firstWhere(a, from, (one) => compare(one, slot) > 0);
    for (let next = from; next < to; next += COPIED_PER_STEP) {
      merged.set(a.subarray(next, Math.min(next + COPIED_PER_STEP, to)), next + at);
      await task.pause();
    }
    if (slot !== undefined) merged[to + at] = slot;
    from = to;
    if (at % SORTED_PER_STEP === 0) await task.pause();
  }
  return merged;
}

/** The index of the first slot for which a test holds, as it does for all after it. */
export function firstWhere(
  slots: Uint32Array,
  from: number,
  test: (slot: number) => boolean,
): number {
  let low = from;
  let high = slots.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (test(slots[middle] as number)) high = middle;
    else low = middle + 1;
  }
  return low;
}
