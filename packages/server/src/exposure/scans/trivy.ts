import { list } from "../../registry/lenient-json.ts";
import { at, digestsIn, textIn, textsIn } from "./members.ts";
import { type ScannedReport, type ScannedVulnerability, severityOfWord } from "./scanned.ts";

/** Whether JSON is a report of trivy. Without findings, it has no results. */
export function isTrivy(report: unknown): boolean {
  const results = at(report, "Results") ?? [];
  return typeof at(report, "SchemaVersion") === "number" && Array.isArray(results);
}

export function readTrivy(report: unknown): ScannedReport {
  return {
    scanner: "trivy",
    version: textIn(at(report, "Trivy", "Version")),
    databaseTime: 0,
    digests: digestsIn(textsIn(at(report, "Metadata", "RepoDigests"))),
    vulnerabilities: list(at(report, "Results")).flatMap((result) =>
      list(at(result, "Vulnerabilities")).map((one) => readFinding(one, result)),
    ),
  };
}

function readFinding(finding: unknown, result: unknown): ScannedVulnerability {
  const path = textIn(at(finding, "PkgPath")) || textIn(at(result, "Target"));
  return {
    id: textIn(at(finding, "VulnerabilityID")),
    aliases: textsIn(at(finding, "VendorIDs")),
    purl: textIn(at(finding, "PkgIdentifier", "PURL")),
    name: textIn(at(finding, "PkgName")),
    version: textIn(at(finding, "InstalledVersion")),
    severity: severityOfWord(textIn(at(finding, "Severity"))),
    // Several versions are one text.
    fixed: textIn(at(finding, "FixedVersion"))
      .split(",")
      .map((one) => one.trim())
      .filter(Boolean),
    isUnfixable: textIn(at(finding, "Status")) === "will_not_fix",
    description: textIn(at(finding, "Title")),
    locations: path === "" ? [] : [path],
  };
}
