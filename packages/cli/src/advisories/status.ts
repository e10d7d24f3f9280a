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
 *
 * @example statusOf(advisory) // "fixed"
 */
export function statusOf(advisory: Advisory): string {
  const event = standing(advisory);
  return event === undefined ? "" : kindOf(event);
}

function standing({ events }: Advisory): AdvisoryEvent | undefined {
  const [latest] = events
    .filter(({ reviewState }) => reviewState === ReviewState.APPROVED)
    .filter(({ type }) => type.case !== "componentLocationChanged")
    .toSorted((a, b) => timeOf(b) - timeOf(a));
  return latest;
}

/** What an event says, in the words of statuses. */
export function kindOf({ type }: AdvisoryEvent): string {
  return type.case === undefined ? "" : STATUSES[type.case];
}

/** The versions in which it is fixed, where that is how it stands. */
export function fixedIn(advisory: Advisory): string[] {
  const type = standing(advisory)?.type;
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
