import type { advisoriesV1 } from "@wharf/contract";
import { usageError } from "../../errors.ts";

/** Event types, as the advisory files of distributions name them. */
export const EVENT_TYPES = [
  "detection",
  "true-positive-determination",
  "false-positive-determination",
  "fixed",
  "patched",
  "pending-upstream-fix",
  "analysis-not-planned",
  "fix-not-planned",
  "component-location-changed",
] as const;

/** In the order of their numbers in the contract. */
export const FALSE_POSITIVE_REASONS = [
  "vulnerability-record-analysis-contested",
  "component-vulnerability-mismatch",
  "vulnerable-code-version-not-used",
  "vulnerable-code-not-included-in-package",
  "vulnerable-code-not-in-execution-path",
  "vulnerable-code-cannot-be-controlled-by-adversary",
  "inline-mitigations-exist",
] as const;

/** The type of an event and the options that go with it. */
export interface EventContent {
  readonly type: (typeof EVENT_TYPES)[number];
  readonly fixedVersion: string | undefined;
  readonly patchedVersions: readonly string[];
  readonly reason: (typeof FALSE_POSITIVE_REASONS)[number] | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly note: string | undefined;
}

export const EMPTY_CONTENT = {
  fixedVersion: undefined,
  patchedVersions: [],
  reason: undefined,
  from: undefined,
  to: undefined,
  note: undefined,
} as const satisfies Omit<EventContent, "type">;

type StoredType = Exclude<advisoriesV1.AdvisoryEvent["type"], { case: undefined }>;
type Init = { [Each in StoredType as Each["case"]]: { case: Each["case"]; value: object } };

/** Options that a type requires; other types reject them. */
const REQUIRED: Readonly<Partial<Record<EventContent["type"], readonly (keyof EventContent)[]>>> = {
  fixed: ["fixedVersion"],
  patched: ["patchedVersions"],
  "false-positive-determination": ["reason"],
  "component-location-changed": ["from", "to"],
};

/** The type of an event as the API takes it. Rejects options of other types. */
export function typeOf(content: EventContent): Init[StoredType["case"]] {
  const { type, note = "" } = content;
  checkOptions(content);
  switch (type) {
    case "detection":
      return { case: "detection", value: { type: { case: "manual", value: {} } } };
    case "true-positive-determination":
      return { case: "truePositiveDetermination", value: { note } };
    case "false-positive-determination": {
      const { reason } = content;
      const number = reason === undefined ? 0 : FALSE_POSITIVE_REASONS.indexOf(reason) + 1;
      return { case: "falsePositiveDetermination", value: { type: number, note } };
    }
    case "fixed":
      return { case: "fixed", value: { fixedVersion: content.fixedVersion ?? "", note } };
    case "patched":
      return { case: "patched", value: { patchedVersions: [...content.patchedVersions], note } };
    case "pending-upstream-fix":
      return { case: "pendingUpstreamFix", value: { note } };
    case "analysis-not-planned":
      return { case: "analysisNotPlanned", value: { note } };
    case "fix-not-planned":
      return { case: "fixNotPlanned", value: { note } };
    case "component-location-changed": {
      const { from: previousLocation = "", to: newLocation = "" } = content;
      return { case: "componentLocationChanged", value: { previousLocation, newLocation, note } };
    }
  }
}

function checkOptions(content: EventContent): void {
  const { type, note = "" } = content;
  const required = REQUIRED[type] ?? [];
  for (const option of Object.values(REQUIRED).flat()) {
    const isGiven = content[option] !== undefined && content[option].length > 0;
    const isRequired = required.includes(option);
    if (isRequired && !isGiven) throw usageError(`${type} requires ${flagOf(option)}`);
    if (!isRequired && isGiven) throw usageError(`${type} does not take ${flagOf(option)}`);
  }
  if (type === "detection" && note !== "") throw usageError("detection does not take --note");
}

/** The options that would create this event. */
export function contentOf(stored: advisoriesV1.AdvisoryEvent["type"]): EventContent {
  const name = stored.case?.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const empty = { ...EMPTY_CONTENT, type: name as EventContent["type"] };
  if (stored.case === undefined || stored.case === "detection") return empty;
  const content = { ...empty, note: stored.value.note };
  switch (stored.case) {
    case "fixed":
      return { ...content, fixedVersion: stored.value.fixedVersion };
    case "patched":
      return { ...content, patchedVersions: stored.value.patchedVersions };
    case "falsePositiveDetermination":
      return { ...content, reason: FALSE_POSITIVE_REASONS[stored.value.type - 1] };
    case "componentLocationChanged":
      return { ...content, from: stored.value.previousLocation, to: stored.value.newLocation };
    default:
      return content;
  }
}

/** `fixedVersion` → `--fixed-version` */
function flagOf(option: string): string {
  return `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
