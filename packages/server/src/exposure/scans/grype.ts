import { list } from "../../registry/lenient-json.ts";
import { at, digestsIn, textIn, textsIn, timeIn } from "./members.ts";
import { type ScannedReport, type ScannedVulnerability, severityOfWord } from "./scanned.ts";

/** Whether JSON is a report of grype. */
export function isGrype(report: unknown): boolean {
  return (
    textIn(at(report, "descriptor", "name")) === "grype" && Array.isArray(at(report, "matches"))
  );
}

export function readGrype(report: unknown): ScannedReport {
  const database = at(report, "descriptor", "db");
  return {
    scanner: "grype",
    version: textIn(at(report, "descriptor", "version")),
    // Older versions have it beside the schema, newer ones in the status.
    databaseTime: timeIn(at(database, "built")) || timeIn(at(database, "status", "built")),
    digests: digestsIn(textsIn(at(report, "source", "target", "repoDigests"))),
    vulnerabilities: list(at(report, "matches")).map(readMatch),
  };
}

function readMatch(match: unknown): ScannedVulnerability {
  const vulnerability = at(match, "vulnerability");
  const artifact = at(match, "artifact");
  const id = textIn(at(vulnerability, "id"));
  const related = list(at(match, "relatedVulnerabilities")).map((one) => textIn(at(one, "id")));
  return {
    id,
    aliases: [...new Set(related)].filter((one) => one !== "" && one !== id),
    purl: textIn(at(artifact, "purl")),
    name: textIn(at(artifact, "name")),
    version: textIn(at(artifact, "version")),
    severity: severityOfWord(textIn(at(vulnerability, "severity"))),
    fixed: textsIn(at(vulnerability, "fix", "versions")),
    isUnfixable: textIn(at(vulnerability, "fix", "state")) === "wont-fix",
    description: textIn(at(vulnerability, "description")),
    locations: list(at(artifact, "locations"))
      .map((one) => textIn(at(one, "path")))
      .filter(Boolean),
  };
}
