import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Advisory, AdvisoryEvent } from "@wharf/client";
import { ReviewState } from "@wharf/contract";

/** What people call each kind of event once it is what stands. */
const STATUSES = {
  detection: "under investigation",
  truePositiveDetermination: "affected",
  falsePositiveDetermination: "not affected",
  pendingUpstreamFix: "pending upstream fix",
  fixed: "fixed",
  patched: "fixed",
  fixNotPlanned: "fix not planned",
  analysisNotPlanned: "fix not planned",
  componentLocationChanged: "component moved",
} as const;

/**
 * Where an advisory stands: what its latest approved event says. A component that moved changes
 * nothing about that.
 */
export function statusOf(advisory: Advisory): string {
  const latest = latestOf(advisory);
  return latest === undefined ? "" : kindOf(latest);
}

/** Of two at the same time the later one in the row counts, as everywhere. */
function latestOf({ events }: Advisory): AdvisoryEvent | undefined {
  return events
    .filter(({ reviewState }) => reviewState === ReviewState.APPROVED)
    .filter(({ type }) => type.case !== "componentLocationChanged")
    .toSorted((a, b) => timeOf(a) - timeOf(b))
    .at(-1);
}

/** What an event says, in the words of statuses. */
export function kindOf({ type }: AdvisoryEvent): string {
  return type.case === undefined ? "" : STATUSES[type.case];
}

/** The versions in which it is fixed, if that is where it stands. */
export function fixedIn(advisory: Advisory): readonly string[] {
  const type = latestOf(advisory)?.type;
  if (type?.case === "fixed") return [type.value.fixedVersion];
  return type?.case === "patched" ? type.value.patchedVersions : [];
}

/** How far the review of an event is. */
export function reviewOf({ reviewState }: AdvisoryEvent): string {
  return (ReviewState[reviewState] ?? "").toLowerCase().replaceAll("_", " ");
}

export function timeOf({ createTime }: AdvisoryEvent): number {
  return createTime === undefined ? 0 : timestampMs(createTime);
}
