import type { FindingSeverityJson, FindingStatusJson } from "@wharf/contract/messages";

/** Severities and statuses in the words of the formats. A value that this version does not know is as none. */

const SEVERITIES: Readonly<Record<FindingSeverityJson, string>> = {
  FINDING_SEVERITY_UNSPECIFIED: "unknown",
  FINDING_SEVERITY_NEGLIGIBLE: "negligible",
  FINDING_SEVERITY_LOW: "low",
  FINDING_SEVERITY_MEDIUM: "medium",
  FINDING_SEVERITY_HIGH: "high",
  FINDING_SEVERITY_CRITICAL: "critical",
};

export function severityWord(
  severity: FindingSeverityJson = "FINDING_SEVERITY_UNSPECIFIED",
): string {
  return SEVERITIES[severity] ?? SEVERITIES.FINDING_SEVERITY_UNSPECIFIED;
}

/** The words of a format by status. */
export type StatusWords = Readonly<Record<FindingStatusJson, string>>;

export function statusWord(
  words: StatusWords,
  status: FindingStatusJson = "FINDING_STATUS_UNSPECIFIED",
): string {
  return words[status] ?? words.FINDING_STATUS_UNSPECIFIED;
}
