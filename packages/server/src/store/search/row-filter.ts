import { ancestorsOf } from "@wharf/contract";
import type { Bound, Range } from "../resources/query.ts";
import { type IndexedRows, NOWHERE } from "./indexed-rows.ts";
import type { RowMatch } from "./row-match.ts";

/** Which rows a list has. */
export interface RowConditions {
  readonly ranges: readonly Range[];
  readonly matches: readonly RowMatch[];
  /** A bound of the update time, and these times by slot. */
  readonly bound?: { readonly by: Bound; readonly times: Float64Array } | undefined;
}

/** The rows of one list, for the moment: it must not be kept while rows change. */
export class RowFilter {
  readonly #placeOf: Uint32Array;
  readonly #isWithin: Uint8Array;
  readonly #matching: Uint32Array;
  readonly #isBounded: (slot: number) => boolean;

  constructor(rows: IndexedRows, { ranges, matches, bound }: RowConditions) {
    this.#placeOf = rows.placeOf;
    this.#isWithin = placesWithin(rows, ranges);
    this.#matching = intersection(matches, rows.slots.size);
    this.#isBounded = () => true;
    if (bound !== undefined) {
      const { after, until = Number.POSITIVE_INFINITY } = bound.by;
      this.#isBounded = (slot) => {
        const time = bound.times[slot] ?? 0;
        return time > after && time <= until;
      };
    }
  }

  has(slot: number): boolean {
    const word = this.#matching[slot >>> 5] ?? 0;
    return (
      ((word >>> (slot & 31)) & 1) === 1 &&
      this.#isWithin[this.#placeOf[slot] ?? NOWHERE] === 1 &&
      this.#isBounded(slot)
    );
  }

  count(): number {
    let total = 0;
    for (let at = 0; at < this.#matching.length; at++) {
      let word = this.#matching[at] as number;
      while (word !== 0) {
        const bit = 31 - Math.clz32(word);
        word ^= 1 << bit;
        if (this.has(at * 32 + bit)) total++;
      }
    }
    return total;
  }
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
