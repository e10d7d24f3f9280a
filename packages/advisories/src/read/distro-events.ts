import {
  type AdvisoryEvent,
  AdvisoryEvent_FalsePositiveDetermination_Type as FalsePositive,
} from "@wharf/contract/messages";
import type { At } from "./at.ts";
import { type EventType, eventAt, falsePositive } from "./events.ts";

/** By the names that documents use. */
const FALSE_POSITIVES: ReadonlyMap<string, FalsePositive> = new Map([
  [
    "vulnerability-record-analysis-contested",
    FalsePositive.VULNERABILITY_RECORD_ANALYSIS_CONTESTED,
  ],
  ["component-vulnerability-mismatch", FalsePositive.COMPONENT_VULNERABILITY_MISMATCH],
  ["vulnerable-code-version-not-used", FalsePositive.VULNERABLE_CODE_VERSION_NOT_USED],
  [
    "vulnerable-code-not-included-in-package",
    FalsePositive.VULNERABLE_CODE_NOT_INCLUDED_IN_PACKAGE,
  ],
  ["vulnerable-code-not-in-execution-path", FalsePositive.VULNERABLE_CODE_NOT_IN_EXECUTION_PATH],
  [
    "vulnerable-code-cannot-be-controlled-by-adversary",
    FalsePositive.VULNERABLE_CODE_CANNOT_BE_CONTROLLED_BY_ADVERSARY,
  ],
  ["inline-mitigations-exist", FalsePositive.INLINE_MITIGATIONS_EXIST],
]);

type ReadType = (data: At) => EventType | undefined;

const TYPES: ReadonlyMap<string, ReadType> = new Map<string, ReadType>([
  ["detection", detection],
  ["fixed", fixed],
  ["false-positive-determination", falsePositiveDetermination],
  [
    "true-positive-determination",
    (data) => ({ case: "truePositiveDetermination", value: { note: noteIfAny(data) } }),
  ],
  ["analysis-not-planned", (data) => ({ case: "analysisNotPlanned", value: { note: note(data) } })],
  ["fix-not-planned", (data) => ({ case: "fixNotPlanned", value: { note: note(data) } })],
  ["pending-upstream-fix", (data) => ({ case: "pendingUpstreamFix", value: { note: note(data) } })],
]);

/**
 * Reads one event; undefined where it cannot be read, which has been told then.
 *
 * @example distroEvent(at, "distro")
 */
export function distroEvent(at: At, author: string): AdvisoryEvent | undefined {
  if (!at.mustBeObject()) return undefined;
  const time = at.field("timestamp").time();
  const type = at.field("type").oneOf(TYPES)?.(at.field("data"));
  return time && type && eventAt(time, type, { author });
}

function detection(data: At): EventType | undefined {
  if (!data.mustBeObject()) return undefined;
  const type = data.field("type").oneOf(DETECTIONS)?.(data.field("data"));
  return type && { case: "detection", value: { type } };
}

type DetectionType = NonNullable<
  NonNullable<Extract<EventType, { case: "detection" }>["value"]>["type"]
>;

const DETECTIONS: ReadonlyMap<string, (data: At) => DetectionType> = new Map([
  ["manual", (): DetectionType => ({ case: "manual", value: {} })],
  [
    "nvdapi",
    (data: At): DetectionType => ({
      case: "nvdapi",
      value: {
        cpeSearched: data.field("cpeSearched").word(),
        cpeFound: data.field("cpeFound").word(),
      },
    }),
  ],
  [
    "scan/v1",
    (data: At): DetectionType => ({
      case: "scanv1",
      value: {
        scanner: data.field("scanner").word(),
        subpackage: data.field("subpackageName").wordIfAny(),
        componentId: data.field("componentID").wordIfAny(),
        component: data.field("componentName").word(),
        componentVersion: data.field("componentVersion").wordIfAny(),
        componentType: data.field("componentType").wordIfAny(),
        componentLocation: data.field("componentLocation").wordIfAny(),
      },
    }),
  ],
]);

function fixed(data: At): EventType {
  return { case: "fixed", value: { fixedVersion: data.field("fixed-version").word() } };
}

function falsePositiveDetermination(data: At): EventType | undefined {
  const type = data.field("type").oneOf(FALSE_POSITIVES);
  return type === undefined ? undefined : falsePositive(type, noteIfAny(data));
}

/** Whoever plans no work says why. */
function note(data: At): string {
  const at = data.field("note");
  if (!at.isThere) at.refuse("is missing");
  return at.textIfAny();
}

function noteIfAny(data: At): string {
  return data.field("note").textIfAny();
}
