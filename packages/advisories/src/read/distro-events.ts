import {
  type AdvisoryEvent,
  AdvisoryEvent_FalsePositiveDetermination_Type as FalsePositive,
} from "@wharf/contract/messages";
import type { DocumentNode } from "./document-node.ts";
import { type EventType, eventAt, falsePositive } from "./events.ts";

/** By their names in documents. */
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

type ReadType = (data: DocumentNode) => EventType | undefined;

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
 * Reads one event; undefined if it is invalid, which is recorded as a problem.
 *
 * @example distroEvent(node, "distro")
 */
export function distroEvent(node: DocumentNode, author: string): AdvisoryEvent | undefined {
  if (!node.requireObject()) return undefined;
  const time = node.field("timestamp").requiredTime();
  const type = node.field("type").oneOf(TYPES)?.(node.field("data"));
  return time && type && eventAt(time, type, { author });
}

function detection(data: DocumentNode): EventType | undefined {
  if (!data.requireObject()) return undefined;
  const type = data.field("type").oneOf(DETECTIONS)?.(data.field("data"));
  return type && { case: "detection", value: { type } };
}

type DetectionType = NonNullable<
  NonNullable<Extract<EventType, { case: "detection" }>["value"]>["type"]
>;

const DETECTIONS: ReadonlyMap<string, (data: DocumentNode) => DetectionType> = new Map([
  ["manual", (): DetectionType => ({ case: "manual", value: {} })],
  [
    "nvdapi",
    (data: DocumentNode): DetectionType => ({
      case: "nvdapi",
      value: {
        cpeSearched: data.field("cpeSearched").requiredString(),
        cpeFound: data.field("cpeFound").requiredString(),
      },
    }),
  ],
  [
    "scan/v1",
    (data: DocumentNode): DetectionType => ({
      case: "scanv1",
      value: {
        scanner: data.field("scanner").requiredString(),
        subpackage: data.field("subpackageName").optionalString(),
        componentId: data.field("componentID").optionalString(),
        component: data.field("componentName").requiredString(),
        componentVersion: data.field("componentVersion").optionalString(),
        componentType: data.field("componentType").optionalString(),
        componentLocation: data.field("componentLocation").optionalLocation(),
      },
    }),
  ],
]);

function fixed(data: DocumentNode): EventType {
  return { case: "fixed", value: { fixedVersion: data.field("fixed-version").requiredString() } };
}

function falsePositiveDetermination(data: DocumentNode): EventType | undefined {
  const type = data.field("type").oneOf(FALSE_POSITIVES);
  return type === undefined ? undefined : falsePositive(type, noteIfAny(data));
}

/** Required for events that plan no work. */
function note(data: DocumentNode): string {
  const node = data.field("note");
  if (!node.isPresent) node.addProblem("is missing");
  return node.optionalText();
}

function noteIfAny(data: DocumentNode): string {
  return data.field("note").optionalText();
}
