import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  type Advisory,
  type AdvisoryEvent,
  AdvisoryEvent_FalsePositiveDetermination_Type as FalsePositive,
  ReviewState,
} from "@wharf/contract/messages";

/** The words that VEX has for where a product stands with a vulnerability. */
export type VexStatus = "under_investigation" | "affected" | "not_affected" | "fixed";

/** The reasons that VEX has for a product not being affected. */
export type Justification =
  | "component_not_present"
  | "vulnerable_code_not_present"
  | "vulnerable_code_not_in_execute_path"
  | "vulnerable_code_cannot_be_controlled_by_adversary"
  | "inline_mitigations_already_exist";

/** Where an advisory stands: what its latest approved event says. */
export interface Assessment {
  readonly status: VexStatus;
  /** The kind of event, which says more than the status. */
  readonly kind: Kind;
  /** Versions that have the fix; empty unless it is fixed. */
  readonly fixedIn: readonly string[];
  readonly justification: Justification | undefined;
  readonly note: string;
  /** When that was said, in milliseconds. */
  readonly time: number;
}

/** The kinds of events that say where an advisory stands; where a component is does not. */
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
  [FalsePositive.VULNERABILITY_RECORD_ANALYSIS_CONTESTED]: "vulnerable_code_not_present",
  [FalsePositive.COMPONENT_VULNERABILITY_MISMATCH]: "component_not_present",
  [FalsePositive.VULNERABLE_CODE_VERSION_NOT_USED]: "vulnerable_code_not_present",
  [FalsePositive.VULNERABLE_CODE_NOT_INCLUDED_IN_PACKAGE]: "vulnerable_code_not_present",
  [FalsePositive.VULNERABLE_CODE_NOT_IN_EXECUTION_PATH]: "vulnerable_code_not_in_execute_path",
  [FalsePositive.VULNERABLE_CODE_CANNOT_BE_CONTROLLED_BY_ADVERSARY]:
    "vulnerable_code_cannot_be_controlled_by_adversary",
  [FalsePositive.INLINE_MITIGATIONS_EXIST]: "inline_mitigations_already_exist",
};

/**
 * Where an advisory stands for outsiders; undefined while nothing of it is approved, which is as long
 * as outsiders hear nothing of it.
 *
 * @example assessmentOf(advisory)?.status // "fixed"
 */
export function assessmentOf({ events }: Advisory): Assessment | undefined {
  let latest: AdvisoryEvent | undefined;
  for (const event of events) {
    if (!isPublic(event) || event.type.case === "componentLocationChanged") continue;
    // Of two at the same time the later one in the row counts.
    if (latest === undefined || timeOf(event) >= timeOf(latest)) latest = event;
  }
  if (latest === undefined) return undefined;
  const { type } = latest;
  if (type.case === undefined || type.case === "componentLocationChanged") return undefined;
  const versions = fixedIn(type);
  const status = STATUSES[type.case];
  return {
    // A fix that is in no version that anyone could install leaves everyone affected.
    status: status === "fixed" && versions.length === 0 ? "affected" : status,
    kind: type.case,
    fixedIn: versions,
    justification:
      type.case === "falsePositiveDetermination" ? JUSTIFICATIONS[type.value.type] : undefined,
    note: type.case === "detection" ? "" : noteOf(type.value),
    time: timeOf(latest),
  };
}

/** As it was written: what comes back is the same. Spaces alone say nothing. */
function noteOf({ note }: { readonly note: string }): string {
  return note.trim() === "" ? "" : note;
}

/** Whether outsiders may hear of an event. */
export function isPublic({ reviewState, type }: AdvisoryEvent): boolean {
  return reviewState === ReviewState.APPROVED && type.case !== undefined;
}

/** When an event happened, in milliseconds. */
export function timeOf({ createTime }: AdvisoryEvent): number {
  return createTime === undefined ? 0 : timestampMs(createTime);
}

function fixedIn(type: AdvisoryEvent["type"]): readonly string[] {
  if (type.case === "fixed") return type.value.fixedVersion ? [type.value.fixedVersion] : [];
  return type.case === "patched" ? [...new Set(type.value.patchedVersions)].filter(Boolean) : [];
}
