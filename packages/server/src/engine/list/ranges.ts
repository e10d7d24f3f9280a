import {
  ancestorsOf,
  isRoot,
  isSelfOrBelow,
  isUid,
  parentOf,
  type UIDPFilter,
} from "@wharf/contract";
import type { Reach } from "../../auth/grants.ts";
import { invalidArgument } from "../../lib/errors.ts";
import { mustBeUid } from "../../rpc/validate.ts";
import type { Range } from "../../store/resources/query.ts";

/** Position of a kind of resource in the tree of groups, for lists. */
export interface TreeShape {
  /** Its uids are scopes themselves: groups. */
  readonly isScope: boolean;
  /** Its uids are those of their parents. */
  readonly uidIsParent: boolean;
  /** Every caller sees those without a parent. */
  readonly rootsAreShared: boolean;
}

/** Uids looked up by one statement: databases limit its parameters. */
const UIDS_PER_RANGE = 500;

/** Uids in one list request: bounds its cost. */
const MAX_IDS = 1_000;

/**
 * The ranges of a table that a list reads: the intersection of its `uidp` filter with the caller's
 * reach. Ranges never overlap.
 */
export function rangesFor(tree: TreeShape, reach: Reach, filter: UIDPFilter | undefined): Range[] {
  const query = readFilter(filter);
  if (query.uids !== undefined) return namedRanges(tree, reach, query, query.uids);
  if (query.ancestorsOf !== undefined) {
    const above = ancestorsOf(query.ancestorsOf);
    if (tree.isScope) return namedRanges(tree, reach, query, above);
    return above.flatMap((parent) => childRanges(tree, reach, query, parent));
  }
  if (query.inRoot) return childRanges(tree, reach, query, "");
  if (query.childrenOf !== undefined) return childRanges(tree, reach, query, query.childrenOf);
  return subtreeRanges(tree, reach, query.descendantsOf);
}

interface RangeQuery {
  readonly ancestorsOf: string | undefined;
  readonly descendantsOf: string | undefined;
  readonly childrenOf: string | undefined;
  readonly inRoot: boolean;
  readonly uids: readonly string[] | undefined;
}

function readFilter(filter: UIDPFilter | undefined): RangeQuery {
  const uid = (field: "ancestorsOf" | "descendantsOf" | "childrenOf"): string | undefined => {
    const value = filter?.[field] ?? "";
    if (value === "") return undefined;
    mustBeUid(`uidp.${field}`, value);
    return value;
  };
  const ids = filter?.ids ?? [];
  if (ids.length > MAX_IDS || !ids.every(isUid)) {
    throw invalidArgument({
      field: "uidp.ids",
      description: `ids must be at most ${MAX_IDS} uids`,
    });
  }
  return {
    ancestorsOf: uid("ancestorsOf"),
    descendantsOf: uid("descendantsOf"),
    childrenOf: uid("childrenOf"),
    inRoot: filter?.inRoot ?? false,
    uids: ids.length > 0 ? ids : undefined,
  };
}

function namedRanges(
  tree: TreeShape,
  reach: Reach,
  query: RangeQuery,
  uids: readonly string[],
): Range[] {
  const matches = (uid: string) => {
    const { ancestorsOf: below, descendantsOf, childrenOf, inRoot } = query;
    const parent = tree.uidIsParent ? uid : parentOf(uid);
    const scope = tree.isScope ? uid : parent;
    if (below !== undefined && (scope === "" || scope === below || !isSelfOrBelow(below, scope)))
      return false;
    if (descendantsOf !== undefined && (parent === "" || !isSelfOrBelow(parent, descendantsOf)))
      return false;
    if (childrenOf !== undefined && parent !== childrenOf) return false;
    if (inRoot && parent !== "") return false;
    return canSee(tree, reach, uid);
  };
  const named = [...new Set(uids)].filter(matches);
  const ranges: Range[] = [];
  for (let at = 0; at < named.length; at += UIDS_PER_RANGE) {
    ranges.push({ uids: named.slice(at, at + UIDS_PER_RANGE) });
  }
  return ranges;
}

function childRanges(tree: TreeShape, reach: Reach, query: RangeQuery, parent: string): Range[] {
  const { descendantsOf, childrenOf, inRoot, ancestorsOf: below } = query;
  if (inRoot && parent !== "") return [];
  if (childrenOf !== undefined && parent !== childrenOf) return [];
  if (below !== undefined && (parent === "" || parent === below || !isSelfOrBelow(below, parent)))
    return [];
  if (descendantsOf !== undefined && !(parent !== "" && isSelfOrBelow(parent, descendantsOf)))
    return [];
  if ("everything" in reach) return [{ childrenOf: parent }];
  if (parent === "" && tree.rootsAreShared) return [{ childrenOf: "" }];
  if (parent !== "" && covers(reach, parent)) return [{ childrenOf: parent }];
  const seen = tree.isScope ? reach.scopes.filter((uid) => parentOf(uid) === parent) : [];
  return namedRanges(tree, reach, { ...query, ancestorsOf: undefined }, seen);
}

function subtreeRanges(tree: TreeShape, reach: Reach, top: string | undefined): Range[] {
  if ("everything" in reach)
    return [top === undefined ? { everything: true } : { below: top, self: false }];
  if (top === undefined) {
    const roots: Range[] = tree.rootsAreShared ? [{ childrenOf: "" }] : [];
    return [...roots, ...reach.scopes.map((below) => ({ below, self: true }))];
  }
  if (covers(reach, top)) return [{ below: top, self: false }];
  return reach.scopes
    .filter((scope) => isSelfOrBelow(scope, top))
    .map((below) => ({ below, self: true }));
}

/** Whether lists may show the resource of a uid to a caller with this reach. */
export function canSee(tree: TreeShape, reach: Reach, uid: string): boolean {
  return covers(reach, uid) || (tree.rootsAreShared && isRoot(uid));
}

function covers(reach: Reach, uid: string): boolean {
  if ("everything" in reach) return true;
  const scopes = scopeSetOf(reach.scopes);
  return scopes.has(uid) || ancestorsOf(uid).some((above) => scopes.has(above));
}

/** The scopes of a reach as a set, made once: a reach has up to thousands of scopes and is cached. */
const SCOPE_SETS = new WeakMap<readonly string[], ReadonlySet<string>>();

function scopeSetOf(scopes: readonly string[]): ReadonlySet<string> {
  const cached = SCOPE_SETS.get(scopes);
  if (cached !== undefined) return cached;
  const made = new Set(scopes);
  SCOPE_SETS.set(scopes, made);
  return made;
}
