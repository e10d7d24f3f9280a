import { isRoot, type UIDPFilter } from "@wharf/contract";
import type { Reach } from "../../auth/grants.ts";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import type { Range } from "../../store/resources/query.ts";
import { rangesFor, type TreeShape } from "../list/ranges.ts";

/** Many ranges of a table: subtrees, or single rows. */
export class RangeSet {
  /** Distinguishes sets in keys of caches. */
  readonly id: number;
  /** The tops of the subtrees, or the uids of the rows, in order. */
  readonly uids: readonly string[];
  readonly areTops: boolean;
  /** Whether all rows without a parent belong to it as well. */
  readonly hasRoots: boolean;
  /** What the same caller saw before, if that is still known. */
  readonly former: WeakRef<RangeSet> | undefined;
  readonly #indexes: ReadonlyMap<string, number>;
  static #made = 0;

  constructor(
    uids: readonly string[],
    areTops: boolean,
    hasRoots: boolean,
    former?: WeakRef<RangeSet>,
  ) {
    this.id = RangeSet.#made++;
    this.former = former;
    this.uids = uids.toSorted();
    this.areTops = areTops;
    this.hasRoots = hasRoots;
    this.#indexes = new Map(this.uids.map((uid, at) => [uid, at]));
  }

  /** The set of these ranges; undefined where it cannot represent them. */
  static of(ranges: readonly Range[], former?: WeakRef<RangeSet>): RangeSet | undefined {
    const tops: string[] = [];
    const named: string[] = [];
    let hasRoots = false;
    for (const range of ranges) {
      if ("uids" in range) named.push(...range.uids);
      else if ("below" in range && range.self) tops.push(range.below);
      else if ("childrenOf" in range && range.childrenOf === "") hasRoots = true;
      else return undefined;
    }
    if (tops.length > 0 && named.length > 0) return undefined;
    return new RangeSet([...tops, ...named], tops.length > 0, hasRoots, former);
  }

  has(uid: string): boolean {
    return (this.hasRoots && isRoot(uid)) || this.indexOf(uid) !== undefined;
  }

  /** The uids that only one of two sets has; undefined for more than a number of them. */
  difference(other: RangeSet, max: number): string[] | undefined {
    const only: string[] = [];
    for (const [one, another] of [
      [this, other],
      [other, this],
    ] as const) {
      for (const uid of one.uids) {
        if (another.#indexes.has(uid)) continue;
        if (only.length === max) return undefined;
        only.push(uid);
      }
    }
    return only;
  }

  /** The index of the range with this uid among all. */
  indexOf(uid: string): number | undefined {
    if (!this.areTops) return this.#indexes.get(uid);
    for (let top = uid; ; top = top.slice(0, top.lastIndexOf("/"))) {
      const index = this.#indexes.get(top);
      if (index !== undefined || !top.includes("/")) return index;
    }
  }
}

/** The ranges of a list, and the same as a set where they are many. */
export interface VisibleRanges {
  readonly ranges: readonly Range[];
  readonly set: RangeSet | undefined;
}

/** Filters whose ranges are kept for a reach. */
const MAX_FILTERS = 100;

/** Callers and filters whose last set is known. */
const MAX_FORMER = 5_000;

/**
 * The ranges that lists read. Of a reach with many scopes they are computed once for each filter: the set stays the same
 * object, so that what is derived from it can be kept.
 */
export class RangeSets {
  readonly #manyRanges: number;
  /** Kept as long as the reach, which is cached with the caller's grants. */
  readonly #known = new WeakMap<Reach, Map<string, VisibleRanges>>();
  readonly #former = new BoundedCache<string, WeakRef<RangeSet>>({ maxEntries: MAX_FORMER });

  constructor(manyRanges: number) {
    this.#manyRanges = manyRanges;
  }

  /** The ranges of a filter within the reach of a caller. */
  of(tree: TreeShape, reach: Reach, filter: UIDPFilter | undefined, caller: string): VisibleRanges {
    if ("everything" in reach || reach.scopes.length <= this.#manyRanges) {
      return { ranges: rangesFor(tree, reach, filter), set: undefined };
    }
    const { isScope, uidIsParent, rootsAreShared } = tree;
    const key = JSON.stringify([isScope, uidIsParent, rootsAreShared, filterKey(filter)]);
    const known = this.#known.get(reach) ?? new Map<string, VisibleRanges>();
    this.#known.set(reach, known);
    const visible = known.get(key) ?? this.#compute(rangesFor(tree, reach, filter), caller + key);
    if (known.size >= MAX_FILTERS) known.clear();
    known.set(key, visible);
    return visible;
  }

  #compute(ranges: readonly Range[], callerKey: string): VisibleRanges {
    const set = RangeSet.of(ranges, this.#former.get(callerKey));
    if (set === undefined || set.uids.length <= this.#manyRanges) return { ranges, set: undefined };
    this.#former.set(callerKey, new WeakRef(set));
    return { ranges, set };
  }
}

/** What distinguishes filters. */
export function filterKey(filter: UIDPFilter | undefined): unknown {
  const {
    ancestorsOf = "",
    descendantsOf = "",
    childrenOf = "",
    inRoot = false,
    ids = [],
  } = filter ?? {};
  return [ancestorsOf, descendantsOf, childrenOf, inRoot, ids];
}
