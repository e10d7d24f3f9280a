import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  type Advisory,
  type AdvisoryEvent,
  AdvisoryEvent_FalsePositiveDetermination_Type as FalsePositive,
  ReviewState,
} from "@wharf/contract/messages";

/** The VEX statuses. */
export type VexStatus = "under_investigation" | "affected" | "not_affected" | "fixed";

/** The VEX justifications of "not affected". */
export type Justification =
  | "component_not_present"
  | "vulnerable_code_not_present"
  | "vulnerable_code_not_in_execute_path"
  | "vulnerable_code_cannot_be_controlled_by_adversary"
  | "inline_mitigations_already_exist";

/** The current assessment of an advisory, by its latest approved event. */
export interface Assessment {
  readonly status: VexStatus;
  /** The type of the event, which is more specific than the status. */
  readonly kind: Kind;
  /** Package URLs of the only products that it is about; empty for the artifact in all versions. */
  readonly products: readonly string[];
  /** Versions with the fix; empty unless it is fixed. */
  readonly fixedIn: readonly string[];
  readonly justification: Justification | undefined;
  /** Whether it is not affected because the analysis in the vulnerability record is contested. */
  readonly isContested: boolean;
  readonly note: string;
  /** The time of the event, in milliseconds. */
  readonly time: number;
}

/** The event types that assess; a changed component location does not. */
export type Kind = Exclude<NonNullable<AdvisoryEvent["type"]["case"]>, "componentLocationChanged">;

const STATUSES: Readonly<Record<Kind, VexStatus>> = {
  detection: "under_investigation",
  truePositiveDetermination: "affected",
  falsePositiveDetermination: "not_affected",
  pendingUpstreamFix: "affected",
  fixed: "fixed",
  patched: "fixed",
  fixNotPlanned: "affected",
  analysisNotPlanned: "affected",
};

const JUSTIFICATIONS: Readonly<Record<FalsePositive, Justification | undefined>> = {
  [FalsePositive.UNSPECIFIED]: undefined,
  // The record is wrong, whatever the code: no justification says that, so an impact statement does.
  [FalsePositive.VULNERABILITY_RECORD_ANALYSIS_CONTESTED]: undefined,
  [FalsePositive.COMPONENT_VULNERABILITY_MISMATCH]: "component_not_present",
  [FalsePositive.VULNERABLE_CODE_VERSION_NOT_USED]: "vulnerable_code_not_present",
  [FalsePositive.VULNERABLE_CODE_NOT_INCLUDED_IN_PACKAGE]: "vulnerable_code_not_present",
  [FalsePositive.VULNERABLE_CODE_NOT_IN_EXECUTION_PATH]: "vulnerable_code_not_in_execute_path",
  [FalsePositive.VULNERABLE_CODE_CANNOT_BE_CONTROLLED_BY_ADVERSARY]:
    "vulnerable_code_cannot_be_controlled_by_adversary",
  [FalsePositive.INLINE_MITIGATIONS_EXIST]: "inline_mitigations_already_exist",
};

/**
 * The published assessment of an advisory; undefined while no event is approved: then the advisory is not
 * published.
 *
 * @example assessmentOf(advisory)?.status // "fixed"
 */
export function assessmentOf(advisory: Advisory): Assessment | undefined {
  const latest = latestAssessment(advisory);
  return latest && assessmentBy(latest);
}

/**
 * All published assessments of an advisory: that of the artifact, if any, and later ones that single products are not
 * affected.
 *
 * @example assessmentsOf(advisory).flatMap(({ products }) => products)
 */
export function assessmentsOf(advisory: Advisory): Assessment[] {
  const latest = latestAssessment(advisory);
  const whole = latest && assessmentBy(latest);
  const since = latest === undefined ? Number.NEGATIVE_INFINITY : timeOf(latest);
  const isCleared = whole?.status === "not_affected";
  const partial = advisory.events
    .filter((event) => isPublic(event) && isPartialClearance(event))
    .filter((event) => !isCleared && timeOf(event) >= since)
    .flatMap((event) => assessmentBy(event) ?? []);
  return [...(whole === undefined ? [] : [whole]), ...partial];
}

/**
 * Whether an event says that single products are not affected. It says nothing about other versions of the artifact.
 *
 * @example isPartialClearance(event)
 */
export function isPartialClearance({
  type,
  products,
}: Pick<AdvisoryEvent, "type" | "products">): boolean {
  return type.case === "falsePositiveDetermination" && products.length > 0;
}

/**
 * The latest approved event that assesses the artifact; undefined if there is none.
 *
 * @example latestAssessment(advisory)?.type.case // "fixed"
 */
export function latestAssessment({ events }: Advisory): AdvisoryEvent | undefined {
  let latest: AdvisoryEvent | undefined;
  for (const event of events) {
    if (!isPublic(event) || event.type.case === "componentLocationChanged") continue;
    if (isPartialClearance(event)) continue;
    // Of two events at the same time, the later one in the list.
    if (latest === undefined || timeOf(event) >= timeOf(latest)) latest = event;
  }
  return latest;
}

function assessmentBy(latest: AdvisoryEvent): Assessment | undefined {
  const { type, products } = latest;
  if (type.case === undefined || type.case === "componentLocationChanged") return undefined;
  const versions = fixedIn(type);
  const status = STATUSES[type.case];
  return {
    // A fix without a version that can be installed leaves users affected.
    status: status === "fixed" && versions.length === 0 ? "affected" : status,
    kind: type.case,
    products,
    fixedIn: versions,
    justification:
      type.case === "falsePositiveDetermination" ? JUSTIFICATIONS[type.value.type] : undefined,
    isContested:
      type.case === "falsePositiveDetermination" &&
      type.value.type === FalsePositive.VULNERABILITY_RECORD_ANALYSIS_CONTESTED,
    note: type.case === "detection" ? "" : noteOf(type.value),
    time: timeOf(latest),
  };
}

/** Unchanged, so that it survives a round trip; a blank note counts as empty. */
function noteOf({ note }: { readonly note: string }): string {
  return note.trim() === "" ? "" : note;
}

/** Whether an event is published. */
export function isPublic({ reviewState, type }: AdvisoryEvent): boolean {
  return reviewState === ReviewState.APPROVED && type.case !== undefined;
}

/** The time of an event, in milliseconds. */
export function timeOf({ createTime }: AdvisoryEvent): number {
  return createTime === undefined ? 0 : timestampMs(createTime);
}

function fixedIn(type: AdvisoryEvent["type"]): readonly string[] {
  if (type.case === "fixed") return type.value.fixedVersion ? [type.value.fixedVersion] : [];
  return type.case === "patched" ? [...new Set(type.value.patchedVersions)].filter(Boolean) : [];
}
