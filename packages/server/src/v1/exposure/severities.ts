import { FindingSeverity } from "@wharf/contract";
import { vulnerabilitiesV1, vulnV1 } from "@wharf/contract/v1";
import { scoreOf } from "../../exposure/records/severity.ts";

const { Vulnerability_Severity: Reported } = vulnerabilitiesV1;
const { VulnerabilityRecord_Severity: Recorded } = vulnV1;

const REPORTED: Readonly<Record<FindingSeverity, vulnerabilitiesV1.Vulnerability_Severity>> = {
  [FindingSeverity.UNSPECIFIED]: Reported.UNKNOWN,
  [FindingSeverity.NEGLIGIBLE]: Reported.NEGLIGIBLE,
  [FindingSeverity.LOW]: Reported.LOW,
  [FindingSeverity.MEDIUM]: Reported.MEDIUM,
  [FindingSeverity.HIGH]: Reported.HIGH,
  [FindingSeverity.CRITICAL]: Reported.CRITICAL,
};

export function reportedSeverity(severity: number): vulnerabilitiesV1.Vulnerability_Severity {
  return REPORTED[severity as FindingSeverity] ?? Reported.UNKNOWN;
}

/** Records of tenants have no negligible severity. */
export function recordedSeverity(severity: FindingSeverity): vulnV1.VulnerabilityRecord_Severity {
  if (severity === FindingSeverity.NEGLIGIBLE) return Recorded.LOW;
  return reportedSeverity(severity) as number as vulnV1.VulnerabilityRecord_Severity;
}

/** The score of a vector or number, from 0 to 10, with the version of CVSS; nothing for the words of distributions. */
export function cvssOf(basis: string): { readonly score: string; readonly version: string }[] {
  const score = basis === "" ? undefined : scoreOf(basis);
  if (score === undefined) return [];
  const [, version = ""] = /^CVSS:(\d\.\d)\//.exec(basis) ?? [];
  const isVersion2 = version === "" && basis.includes("/");
  return [{ score: score.toFixed(1), version: isVersion2 ? "2.0" : version }];
}
