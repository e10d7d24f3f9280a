import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  type Advisory,
  type AdvisoryEvent,
  AdvisoryEvent_FalsePositiveDetermination_Type as FalsePositive,
  ReviewState,
} from "@wharf/contract/messages";
import { isLimited } from "../package-url.ts";
import { ProductSet } from "./product-set.ts";

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
  /** Package URLs of the vulnerable components in these products; empty for the component of the advisory. */
  readonly subcomponents: readonly string[];
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
 * All published assessments of an advisory: those that no later one replaces. One of the artifact replaces all
 * before it; one of products replaces what was said of the same products and components before. The order is that of
 * the events.
 *
 * @example assessmentsOf(advisory).flatMap(({ products }) => products)
 */
export function assessmentsOf(advisory: Advisory): Assessment[] {
  const found: Assessment[] = [];
  const replaced = new ProductSet();
  for (const event of latestFirst(advisory)) {
    const { subcomponents } = event;
    const products = event.products.filter((one) => !replaced.has(one, subcomponents));
    if (event.products.length > 0 && products.length === 0) continue;
    const assessment = assessmentBy({ ...event, products });
    if (assessment === undefined) continue;
    found.push(assessment);
    if (products.length === 0) break;
    for (const product of products) replaced.add(product, subcomponents);
  }
  return found.reverse();
}

/** The public events that assess, the latest first; of two at the same time, the later one in the list. */
function latestFirst({ events }: Advisory): AdvisoryEvent[] {
  return events
    .filter((event) => isPublic(event) && event.type.case !== "componentLocationChanged")
    .sort((a, b) => timeOf(a) - timeOf(b))
    .reverse();
}

/**
 * Whether an event says that single products are not affected. It says nothing about other versions of the artifact.
 *
 * @example isPartialClearance(event)
 */
export function isPartialClearance(
  event: Pick<AdvisoryEvent, "type" | "products" | "subcomponents">,
): boolean {
  return event.type.case === "falsePositiveDetermination" && isLimited(event);
}

/**
 * The latest approved event that assesses the artifact; undefined if there is none.
 *
 * @example latestAssessment(advisory)?.type.case // "fixed"
 */
export function latestAssessment(advisory: Advisory): AdvisoryEvent | undefined {
  return latestFirst(advisory).find((event) => !isPartialClearance(event));
}

/**
 * The assessment of one event; undefined if it does not assess.
 *
 * @example assessmentBy(event)?.status // "fixed"
 */
export function assessmentBy(latest: AdvisoryEvent): Assessment | undefined {
  const { type, products, subcomponents } = latest;
  if (type.case === undefined || type.case === "componentLocationChanged") return undefined;
  const versions = fixedIn(type);
  const status = STATUSES[type.case];
  const isNamed = versions.length > 0 || products.length > 0;
  return {
    // A fix without a version or product that can be installed leaves users affected.
    status: status === "fixed" && !isNamed ? "affected" : status,
    kind: type.case,
    products,
    subcomponents: products.length === 0 ? [] : subcomponents,
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
