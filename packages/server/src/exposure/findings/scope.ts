import { accessOf, type Capability, subtreeEnd, type UIDPFilter } from "@wharf/contract";
import type { Catalog } from "../../engine/catalog.ts";
import { rangesFor } from "../../engine/list/ranges.ts";
import type { Call } from "../../rpc/call.ts";
import type { TreeRange } from "../../store/resources/query.ts";
import type { RepoInterval } from "../../store/tables/exposure/images/visible-images.ts";

/** The length of the last segment of a uid with its slash. */
const SEGMENT_LENGTH = 17;

/**
 * The repos within a filter at which the caller of a method has all the capabilities that its rule names, and others that
 * the data needs.
 */
export function reposOf(
  { repos }: Catalog,
  call: Call,
  uidp: UIDPFilter | undefined,
  others: readonly Capability[] = [],
): RepoInterval[] {
  const rule = accessOf(call.method);
  if (rule === undefined || !("capabilities" in rule))
    throw new Error(`${call.method} has no rule`);
  const reach = call.caller.grants.reach([...rule.capabilities, ...others]);
  return rangesFor(repos.tree, reach, uidp).flatMap(intervalsOf);
}

/** The repo alone, of a method whose rule was checked at it. */
export function onlyRepo(uid: string): RepoInterval[] {
  return [self(uid)];
}

/** Whether what a group says applies to some of these repos. */
export function appliesWithin(intervals: readonly RepoInterval[], group: string): boolean {
  const { low, high } = below(group);
  return intervals.some((one) => one.low < high && low < one.high);
}

function intervalsOf(range: TreeRange): RepoInterval[] {
  if ("everything" in range) return [{ low: "", high: "~" }];
  if ("uids" in range) return range.uids.map(self);
  if ("childrenOf" in range) {
    const { childrenOf } = range;
    return [{ ...below(childrenOf), length: childrenOf.length + SEGMENT_LENGTH }];
  }
  return range.self ? [self(range.below), below(range.below)] : [below(range.below)];
}

/** No uid continues another with a space. */
function self(uid: string): RepoInterval {
  return { low: uid, high: `${uid} ` };
}

function below(uid: string): RepoInterval {
  return { low: `${uid}/`, high: subtreeEnd(uid) };
}
