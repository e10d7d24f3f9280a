import { ancestorsOf } from "@wharf/contract";
import type { Bound, Range } from "../resources/query.ts";
import { type IndexedRows, NOWHERE } from "./indexed-rows.ts";
import type { RowMatch } from "./row-match.ts";
import type { Compare } from "./row-order.ts";

/** Which rows a list has. */
export interface RowConditions {
  readonly ranges: readonly Range[];
  readonly matches: readonly RowMatch[];
  /** A bound of the update time, and these times by slot. */
  readonly bound?: { readonly by: Bound; readonly times: Float64Array } | undefined;
}

/** Up to this many rows are sorted; more are found on a walk through all rows in order. */
const MAX_SORTED_ROWS = 4_096;

/** The rows of one list, as they were when it was made. */
export class RowFilter {
  /** How many they are. */
  readonly count: number;
  readonly #rows: Uint32Array;

  constructor(rows: IndexedRows, { ranges, matches, bound }: RowConditions) {
    const found = intersection(matches, rows.slots.size);
    const isWithin = placesWithin(rows, ranges);
    const { placeOf } = rows;
    const isBounded = bound === undefined ? () => true : within(bound.by, bound.times);
    let count = 0;
    for (let at = 0; at < found.length; at++) {
      let kept = found[at] as number;
      for (let left = kept; left !== 0; left &= left - 1) {
        const bit = left & -left;
        const slot = at * 32 + 31 - Math.clz32(bit);
        if (isWithin[placeOf[slot] as number] === 1 && isBounded(slot)) count++;
        else kept &= ~bit;
      }
      found[at] = kept;
    }
    this.count = count;
    this.#rows = found;
  }

  has(slot: number): boolean {
    return (((this.#rows[slot >>> 5] as number) >>> (slot & 31)) & 1) === 1;
  }

  /** The slots of its rows in an order, maybe among others; `all` are those of all rows. */
  inOrder(all: Uint32Array, compare: Compare): Uint32Array {
    if (this.count > MAX_SORTED_ROWS) return all;
    const own: number[] = [];
    for (let at = 0; at < this.#rows.length; at++) {
      for (let left = this.#rows[at] as number; left !== 0; left &= left - 1) {
        own.push(at * 32 + 31 - Math.clz32(left & -left));
      }
    }
    return Uint32Array.from(own.sort(compare));
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

/** The rows that meet all conditions, thirty-two in each word. */
function intersection(matches: readonly RowMatch[], size: number): Uint32Array {
  const all = new Uint32Array((size + 31) >>> 5).fill(0xffffffff);
  for (const { rows, excluded } of matches) {
    const { words } = rows;
    for (let at = 0; at < all.length; at++) {
      const word = words[at] ?? 0;
      all[at] = (all[at] as number) & (excluded ? ~word : word);
    }
  }
  return all;
}

/** The parents of the rows of some ranges, within a partition. */
interface Scopes {
  everything: boolean;
  readonly parents: Set<string>;
  readonly tops: Set<string>;
}

/** Which places, by number, are in one of the ranges. */
function placesWithin(rows: IndexedRows, ranges: readonly Range[]): Uint8Array {
  const byPartition = new Map<number | undefined, Scopes>();
  for (const range of ranges) {
    for (const partition of range.partitions ?? [undefined]) {
      const scopes = byPartition.get(partition) ?? {
        everything: false,
        parents: new Set(),
        tops: new Set(),
      };
      byPartition.set(partition, scopes);
      if ("everything" in range) scopes.everything = true;
      if ("childrenOf" in range) scopes.parents.add(range.childrenOf);
      if ("below" in range) scopes.tops.add(range.below);
    }
  }
  const isIn = (parent: string, scopes: Scopes | undefined) => {
    if (scopes === undefined) return false;
    const { everything, parents, tops } = scopes;
    if (everything || parents.has(parent) || tops.has(parent)) return true;
    return tops.size > 0 && ancestorsOf(parent).some((above) => tops.has(above));
  };
  return Uint8Array.from(rows.places, ({ parent, partition }, number) => {
    if (number === NOWHERE) return 0;
    const own = [byPartition.get(partition), byPartition.get(undefined)];
    return own.some((scopes) => isIn(parent, scopes)) ? 1 : 0;
  });
}
