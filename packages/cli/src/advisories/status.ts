import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { isPartialClearance } from "@wharf/advisories/publish";
import type { Advisory, AdvisoryEvent } from "@wharf/client";
import { ReviewState } from "@wharf/contract";

/** The status of an advisory by the type of its latest event. */
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

/** The status by the latest approved event. A moved component does not change the status. */
export function statusOf(advisory: Advisory): string {
  const latest = latestEvent(advisory);
  return latest === undefined ? "" : statusText(latest);
}

/** Of two events at the same time, the one stored later wins, as on the server. */
function latestEvent({ events }: Advisory): AdvisoryEvent | undefined {
  return events
    .filter(({ reviewState }) => reviewState === ReviewState.APPROVED)
    .filter(({ type }) => type.case !== "componentLocationChanged")
    .filter((event) => !isPartialClearance(event))
    .toSorted((a, b) => eventTime(a) - eventTime(b))
    .at(-1);
}

export function statusText({ type }: AdvisoryEvent): string {
  return type.case === undefined ? "" : STATUSES[type.case];
}

/** The fixed versions, if the latest event is a fix. */
export function fixedVersions(advisory: Advisory): readonly string[] {
  const type = latestEvent(advisory)?.type;
  if (type?.case === "fixed") return [type.value.fixedVersion];
  return type?.case === "patched" ? type.value.patchedVersions : [];
}

export function reviewText({ reviewState }: AdvisoryEvent): string {
  return stateText(reviewState);
}

export function stateText(state: ReviewState): string {
  return (ReviewState[state] ?? "").toLowerCase().replaceAll("_", " ");
}

export function eventTime({ createTime }: AdvisoryEvent): number {
  return timeOf(createTime);
}

export function timeOf(time: Timestamp | undefined): number {
  return time === undefined ? 0 : timestampMs(time);
}
