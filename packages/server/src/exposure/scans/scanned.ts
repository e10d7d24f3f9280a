import type { ScanReportHead } from "../../store/tables/exposure/findings/scan-reports.ts";

/** The scanners whose reports are read. */
export const SCANNERS = ["grype", "trivy", "osv-scanner"] as const;

export type Scanner = (typeof SCANNERS)[number];

/** A vulnerability in a package, as a scanner reports it. */
export interface ScannedVulnerability {
  readonly id: string;
  readonly aliases: readonly string[];
  /** Empty where the report has none. */
  readonly purl: string;
  readonly name: string;
  readonly version: string;
  /** A number of FindingSeverity. */
  readonly severity: number;
  readonly fixed: readonly string[];
  /** Whether the supplier will not fix it. */
  readonly isUnfixable: boolean;
  readonly description: string;
  readonly locations: readonly string[];
}

/** The part of a report that is compared and listed. */
export interface ScannedReport {
  readonly scanner: Scanner;
  /** Empty where the report does not have it. */
  readonly version: string;
  /** In milliseconds; 0 where the report does not have it. */
  readonly databaseTime: number;
  /** Digests of the image, as the scanner knew them. */
  readonly digests: readonly string[];
  readonly vulnerabilities: readonly ScannedVulnerability[];
}

/** The vulnerabilities of a stored report. */
export function vulnerabilitiesOf({ summary }: ScanReportHead): readonly ScannedVulnerability[] {
  return JSON.parse(summary) as ScannedVulnerability[];
}

const SEVERITIES: Readonly<Record<string, number>> = {
  negligible: 1,
  low: 2,
  medium: 3,
  moderate: 3,
  high: 4,
  important: 4,
  critical: 5,
};

/** The number of a severity in words. */
export function severityOfWord(word: string): number {
  return SEVERITIES[word.toLowerCase()] ?? 0;
}
