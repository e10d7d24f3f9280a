import {
  ancestorsOf,
  isRoot,
  isSelfOrBelow,
  isUid,
  parentOf,
  type UIDPFilter,
} from "@wharf/contract";
import type { Reach } from "../auth/grants.ts";
import { invalidArgument } from "../lib/errors.ts";
import { mustBeUid } from "../rpc/validate.ts";
import type { Range } from "../store/resources/query.ts";

/** How a kind of resource sits in the tree, as far as lists care. */
export interface TreeShape {
  /** Its uids are places themselves: groups. */
  readonly isScope: boolean;
  /** Its uids are those of the places that they are in. */
  readonly uidIsParent: boolean;
  /** Those without a parent are seen by everyone. */
  readonly rootsAreShared: boolean;
}

/** Named rows are looked up this many at a time: databases limit the parameters of a statement. */
const UIDS_PER_RANGE = 500;

/** More named rows than this in one request is a mistake, or an attempt to be expensive. */
const MAX_IDS = 1_000;

/**
 * The parts of a table that a list covers: what its filter asks for, as far as the caller may see
 * it. The ranges never overlap.
 *
 * @example rangesFor(groups.kind, reach, request.uidp)
 */
export function rangesFor(kind: TreeShape, reach: Reach, filter: UIDPFilter | undefined): Range[] {
  const wanted = readFilter(filter);
  if (wanted.uids !== undefined) return namedRanges(kind, reach, wanted, wanted.uids);
  if (wanted.ancestorsOf !== undefined) {
    const above = ancestorsOf(wanted.ancestorsOf);
    if (kind.isScope) return namedRanges(kind, reach, wanted, above);
    return above.flatMap((place) => childRanges(kind, reach, wanted, place));
  }
  if (wanted.inRoot) return childRanges(kind, reach, wanted, "");
  if (wanted.childrenOf !== undefined) return childRanges(kind, reach, wanted, wanted.childrenOf);
  return subtreeRanges(kind, reach, wanted.descendantsOf);
}

interface Wanted {
  readonly ancestorsOf: string | undefined;
  readonly descendantsOf: string | undefined;
  readonly childrenOf: string | undefined;
  readonly inRoot: boolean;
  readonly uids: readonly string[] | undefined;
}

function readFilter(filter: UIDPFilter | undefined): Wanted {
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
  kind: TreeShape,
  reach: Reach,
  wanted: Wanted,
  uids: readonly string[],
): Range[] {
  const matches = (uid: string) => {
    const { ancestorsOf: below, descendantsOf, childrenOf, inRoot } = wanted;
    const parent = kind.uidIsParent ? uid : parentOf(uid);
    const place = kind.isScope ? uid : parent;
    if (below !== undefined && (place === "" || place === below || !isSelfOrBelow(below, place)))
      return false;
    if (descendantsOf !== undefined && (parent === "" || !isSelfOrBelow(parent, descendantsOf)))
      return false;
    if (childrenOf !== undefined && parent !== childrenOf) return false;
    if (inRoot && parent !== "") return false;
    return canSee(kind, reach, uid);
  };
  const named = [...new Set(uids)].filter(matches);
  const ranges: Range[] = [];
  for (let at = 0; at < named.length; at += UIDS_PER_RANGE) {
    ranges.push({ uids: named.slice(at, at + UIDS_PER_RANGE) });
  }
  return ranges;
}

function childRanges(kind: TreeShape, reach: Reach, wanted: Wanted, place: string): Range[] {
  const { descendantsOf, childrenOf, inRoot, ancestorsOf: below } = wanted;
  if (inRoot && place !== "") return [];
  if (childrenOf !== undefined && place !== childrenOf) return [];
  if (below !== undefined && (place === "" || place === below || !isSelfOrBelow(below, place)))
    return [];
  if (descendantsOf !== undefined && !(place !== "" && isSelfOrBelow(place, descendantsOf)))
    return [];
  if ("everything" in reach) return [{ childrenOf: place }];
  if (place === "" && kind.rootsAreShared) return [{ childrenOf: "" }];
  if (place !== "" && covers(reach, place)) return [{ childrenOf: place }];
  const seen = kind.isScope ? reach.scopes.filter((uid) => parentOf(uid) === place) : [];
  return namedRanges(kind, reach, { ...wanted, ancestorsOf: undefined }, seen);
}

function subtreeRanges(kind: TreeShape, reach: Reach, top: string | undefined): Range[] {
  if ("everything" in reach)
    return [top === undefined ? { everything: true } : { below: top, self: false }];
  if (top === undefined) {
    const roots: Range[] = kind.rootsAreShared ? [{ childrenOf: "" }] : [];
    return [...roots, ...reach.scopes.map((place) => ({ below: place, self: true }))];
  }
  if (covers(reach, top)) return [{ below: top, self: false }];
  return reach.scopes
    .filter((place) => isSelfOrBelow(place, top))
    .map((below) => ({ below, self: true }));
}

/**
 * Whether a list of this kind may show a uid, should it exist.
 *
 * @example if (!canSee(kind, reach, uid)) throw permissionDenied(…);
 */
export function canSee(kind: TreeShape, reach: Reach, uid: string): boolean {
  return covers(reach, uid) || (kind.rootsAreShared && isRoot(uid));
}

function covers(reach: Reach, uid: string): boolean {
  if ("everything" in reach) return true;
  const places = placesOf(reach.scopes);
  return places.has(uid) || ancestorsOf(uid).some((above) => places.has(above));
}

/** Made once for each reach, which is kept with the caller's grants: it can have thousands of places. */
const PLACES = new WeakMap<readonly string[], ReadonlySet<string>>();

function placesOf(places: readonly string[]): ReadonlySet<string> {
  const known = PLACES.get(places);
  if (known !== undefined) return known;
  const made = new Set(places);
  PLACES.set(places, made);
  return made;
}
