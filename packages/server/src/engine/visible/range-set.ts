import { isRoot, type UIDPFilter } from "@wharf/contract";
import type { Reach } from "../../auth/grants.ts";
import type { Range } from "../../store/resources/query.ts";
import { rangesFor, type TreeShape } from "../ranges.ts";

/** Many ranges of a table: subtrees, or single rows. */
export class RangeSet {
  /** Distinguishes sets in keys of caches. */
  readonly id: number;
  /** The tops of the subtrees, or the uids of the rows, in order. */
  readonly uids: readonly string[];
  readonly areTops: boolean;
  /** Whether all rows without a parent belong to it as well. */
  readonly hasRoots: boolean;
  readonly #places: ReadonlyMap<string, number>;
  static #made = 0;

  constructor(uids: readonly string[], areTops: boolean, hasRoots: boolean) {
    this.id = RangeSet.#made++;
    this.uids = uids.toSorted();
    this.areTops = areTops;
    this.hasRoots = hasRoots;
    this.#places = new Map(this.uids.map((uid, at) => [uid, at]));
  }

  /** The set of these ranges; undefined where it cannot represent them. */
  static of(ranges: readonly Range[]): RangeSet | undefined {
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
    return new RangeSet([...tops, ...named], tops.length > 0, hasRoots);
  }

  has(uid: string): boolean {
    return (this.hasRoots && isRoot(uid)) || this.placeOf(uid) !== undefined;
  }

  /** The place of the range with this uid among all. */
  placeOf(uid: string): number | undefined {
    if (!this.areTops) return this.#places.get(uid);
    for (let top = uid; ; top = top.slice(0, top.lastIndexOf("/"))) {
      const place = this.#places.get(top);
      if (place !== undefined || !top.includes("/")) return place;
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

/** Kept as long as the reach, which is cached with the caller's grants. */
const KNOWN = new WeakMap<Reach, Map<string, VisibleRanges>>();

/**
 * The ranges that a list reads. Of a reach with many scopes they are computed once for each filter: the set stays the
 * same object, so that what is derived from it can be kept.
 */
export function visibleRanges(
  tree: TreeShape,
  reach: Reach,
  filter: UIDPFilter | undefined,
  manyRanges: number,
): VisibleRanges {
  if ("everything" in reach || reach.scopes.length <= manyRanges) {
    return { ranges: rangesFor(tree, reach, filter), set: undefined };
  }
  const { isScope, uidIsParent, rootsAreShared } = tree;
  const key = JSON.stringify([isScope, uidIsParent, rootsAreShared, filterKey(filter)]);
  const known = KNOWN.get(reach) ?? new Map<string, VisibleRanges>();
  KNOWN.set(reach, known);
  let visible = known.get(key);
  if (visible === undefined) {
    const ranges = rangesFor(tree, reach, filter);
    const set = RangeSet.of(ranges);
    visible = { ranges, set: set && set.uids.length > manyRanges ? set : undefined };
    if (known.size >= MAX_FILTERS) known.clear();
    known.set(key, visible);
  }
  return visible;
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
