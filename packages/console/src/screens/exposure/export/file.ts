import {
  type DocumentOrigin,
  type FindingsFormat,
  findingsDocument,
} from "@wharf/advisories/findings";
import type { FindingJson } from "@wharf/contract/messages";
import { csvOf } from "../../../ui/csv.ts";

const HEADER = [
  "image",
  "digest",
  "platform",
  "tags",
  "vulnerability",
  "aliases",
  "severity",
  "status",
  "package",
  "version",
  "purl",
  "fixed_in",
  "first_seen",
  "in_use",
  "known_exploited",
  "epss",
  "decided_by",
  "justification",
  "reason",
  "decision_ends",
  "summary",
];

/** Findings as a file in a format. */
export function fileOf(format: string, findings: readonly FindingJson[], origin: DocumentOrigin) {
  if (format === "csv") {
    return {
      name: "findings.csv",
      type: "text/csv",
      content: csvOf(HEADER, findings.map(cells)),
    };
  }
  const document = findingsDocument(format as FindingsFormat, findings, origin);
  return {
    name: format === "sarif" ? "findings.sarif" : `findings.${format}.json`,
    type: "application/json",
    content: `${JSON.stringify(document, null, 2)}\n`,
  };
}

function cells(finding: FindingJson): string[] {
  const { package: found = {}, decision = {} } = finding;
  return [
    finding.repoPath ?? "",
    finding.digest ?? "",
    finding.platform ?? "",
    (finding.tags ?? []).join(" "),
    finding.vulnerability ?? "",
    (finding.aliases ?? []).join(" "),
    word(finding.severity, "FINDING_SEVERITY_"),
    word(finding.status, "FINDING_STATUS_"),
    found.name ?? "",
    found.version ?? "",
    found.purl ?? "",
    (finding.fixedVersions ?? []).join(" "),
    finding.firstSeen ?? "",
    String(finding.inUse ?? false),
    String(finding.knownExploited ?? false),
    String(finding.exploitProbability ?? 0),
    decision.authorName || decision.author || "",
    decision.justification ?? "",
    decision.reason ?? "",
    decision.expireTime ?? "",
    finding.summary ?? "",
  ];
}

/** @example word("FINDING_STATUS_NOT_AFFECTED", "FINDING_STATUS_") // "not_affected" */
function word(value: string | undefined, prefix: string): string {
  return (value ?? "").replace(prefix, "").toLowerCase();
}
