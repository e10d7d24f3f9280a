import { BitSet } from "./bit-set.ts";

/** Compares two slots. */
export type Compare = (a: number, b: number) => number;

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

  /** The slots of all rows in order. */
  slots(): Uint32Array {
    if (this.#changed.size > 0) {
      const added = [...this.#changed].flatMap(([slot, exists]) => (exists ? [slot] : []));
      const changed = new BitSet();
      for (const slot of this.#changed.keys()) changed.add(slot);
      const rest = this.#slots.filter((slot) => !changed.has(slot));
      const sorted = Uint32Array.from(added.sort(this.compare));
      this.#slots = mergeOrders(rest, sorted, this.compare);
      this.#changed.clear();
    }
    return this.#slots;
  }
}

/** Merges two ordered arrays, of which the second is mostly the shorter one. */
export function mergeOrders(a: Uint32Array, b: Uint32Array, compare: Compare): Uint32Array {
  if (a.length === 0) return b;
  const merged = new Uint32Array(a.length + b.length);
  let from = 0;
  for (let at = 0; at < b.length; at++) {
    const slot = b[at] as number;
    const to = firstWhere(a, from, (one) => compare(one, slot) > 0);
    merged.set(a.subarray(from, to), from + at);
    merged[to + at] = slot;
    from = to;
  }
  merged.set(a.subarray(from), from + b.length);
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
