import type { advisoriesV1 } from "@wharf/contract";
import { usageError } from "../../errors.ts";

/** What can have happened, as the files of distributions call it. */
export const TYPES = [
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

/** Why something is a false positive; in the order of their numbers in the contract. */
export const REASONS = [
  "vulnerability-record-analysis-contested",
  "component-vulnerability-mismatch",
  "vulnerable-code-version-not-used",
  "vulnerable-code-not-included-in-package",
  "vulnerable-code-not-in-execution-path",
  "vulnerable-code-cannot-be-controlled-by-adversary",
  "inline-mitigations-exist",
] as const;

/** What the options of `events add` say. */
export interface Said {
  readonly type: (typeof TYPES)[number];
  readonly fixedVersion: string | undefined;
  readonly patchedVersions: readonly string[];
  readonly reason: (typeof REASONS)[number] | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly note: string | undefined;
}

type EventType = Exclude<advisoriesV1.AdvisoryEvent["type"], { case: undefined }>;
type Init = { [Each in EventType as Each["case"]]: { case: Each["case"]; value: object } };

/** The options that only some types need, and all of those. */
const NEEDS: Readonly<Partial<Record<Said["type"], readonly (keyof Said)[]>>> = {
  fixed: ["fixedVersion"],
  patched: ["patchedVersions"],
  "false-positive-determination": ["reason"],
  "component-location-changed": ["from", "to"],
};

/** The type of a new event and what goes with it. Refuses what does not go together. */
export function typeOf(said: Said): Init[EventType["case"]] {
  const { type, note = "" } = said;
  const needed = NEEDS[type] ?? [];
  for (const option of Object.values(NEEDS).flat()) {
    const isGiven = said[option] !== undefined && said[option].length > 0;
    if (needed.includes(option) && !isGiven) throw usageError(`${type} needs ${flagOf(option)}`);
    if (!needed.includes(option) && isGiven) throw usageError(`${type} takes no ${flagOf(option)}`);
  }
  switch (type) {
    case "detection":
      if (note !== "") throw usageError("detection takes no --note");
      return { case: "detection", value: { type: { case: "manual", value: {} } } };
    case "true-positive-determination":
      return { case: "truePositiveDetermination", value: { note } };
    case "false-positive-determination": {
      const reason = said.reason === undefined ? 0 : REASONS.indexOf(said.reason) + 1;
      return { case: "falsePositiveDetermination", value: { type: reason, note } };
    }
    case "fixed":
      return { case: "fixed", value: { fixedVersion: said.fixedVersion ?? "", note } };
    case "patched":
      return { case: "patched", value: { patchedVersions: [...said.patchedVersions], note } };
    case "pending-upstream-fix":
      return { case: "pendingUpstreamFix", value: { note } };
    case "analysis-not-planned":
      return { case: "analysisNotPlanned", value: { note } };
    case "fix-not-planned":
      return { case: "fixNotPlanned", value: { note } };
    case "component-location-changed": {
      const [previousLocation, newLocation] = [said.from ?? "", said.to ?? ""];
      return { case: "componentLocationChanged", value: { previousLocation, newLocation, note } };
    }
  }
}

/** What an event says already, as options would say it. */
export function saidIn({ type }: advisoriesV1.AdvisoryEvent): Said {
  const nothing = { fixedVersion: undefined, patchedVersions: [], reason: undefined };
  const said = { ...nothing, from: undefined, to: undefined };
  const name = type.case?.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const words = { ...said, type: name as Said["type"], note: undefined };
  if (type.case === undefined || type.case === "detection") return words;
  const noted = { ...words, note: type.value.note };
  switch (type.case) {
    case "fixed":
      return { ...noted, fixedVersion: type.value.fixedVersion };
    case "patched":
      return { ...noted, patchedVersions: type.value.patchedVersions };
    case "falsePositiveDetermination":
      return { ...noted, reason: REASONS[type.value.type - 1] };
    case "componentLocationChanged":
      return { ...noted, from: type.value.previousLocation, to: type.value.newLocation };
    default:
      return noted;
  }
}

/** `fixedVersion` → `--fixed-version` */
function flagOf(option: string): string {
  return `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
