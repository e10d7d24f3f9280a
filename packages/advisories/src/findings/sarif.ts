import type { FindingJson, FindingSeverityJson, FindingStatusJson } from "@wharf/contract/messages";
import type { DocumentOrigin } from "./document.ts";
import { imageName } from "./image-purl.ts";
import { severityWord } from "./words.ts";

/** SARIF 2.1.0, as code scanning of GitHub and GitLab reads it. */

const SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json";

const LEVELS: Partial<Record<FindingSeverityJson, string>> = {
  FINDING_SEVERITY_CRITICAL: "error",
  FINDING_SEVERITY_HIGH: "error",
  FINDING_SEVERITY_MEDIUM: "warning",
};

/** Numbers that stand for severities without a score, in the middle of their range in CVSS. */
const SCORES: Partial<Record<FindingSeverityJson, string>> = {
  FINDING_SEVERITY_CRITICAL: "9.5",
  FINDING_SEVERITY_HIGH: "8.0",
  FINDING_SEVERITY_MEDIUM: "5.5",
  FINDING_SEVERITY_LOW: "2.0",
  FINDING_SEVERITY_NEGLIGIBLE: "0.1",
};

export function sarifOf(findings: readonly FindingJson[], { version }: DocumentOrigin): object {
  const byVulnerability = Map.groupBy(findings, ({ vulnerability = "" }) => vulnerability);
  const indexes = new Map([...byVulnerability.keys()].map((name, at) => [name, at]));
  const rules = [...byVulnerability.values()].map(ruleOf);
  return {
    $schema: SCHEMA,
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "Wharf", version, rules } },
        results: findings.map((one) => resultOf(one, indexes.get(one.vulnerability ?? "") ?? 0)),
      },
    ],
  };
}

function ruleOf(some: readonly FindingJson[]) {
  const severities = some.map((one) => one.severity ?? "FINDING_SEVERITY_UNSPECIFIED");
  const ranked = Object.keys(SCORES) as FindingSeverityJson[];
  const severity = ranked.find((one) => severities.includes(one)) ?? "FINDING_SEVERITY_UNSPECIFIED";
  const { vulnerability = "", summary, aliases = [] } = some[0] ?? {};
  const text = summary || vulnerability;
  return {
    id: vulnerability,
    shortDescription: { text },
    fullDescription: { text },
    help: { text: `${text}\nAliases: ${aliases.join(", ") || "none"}` },
    properties: {
      tags: ["vulnerability", "security", severityWord(severity)],
      ...(SCORES[severity] && { "security-severity": SCORES[severity] }),
    },
  };
}

function resultOf(finding: FindingJson, ruleIndex: number) {
  const { vulnerability, package: one = {}, fixedVersions = [], digest } = finding;
  const { severity = "FINDING_SEVERITY_UNSPECIFIED" } = finding;
  const fix = fixedVersions[0] ? `fixed in ${fixedVersions.join(", ")}` : "without a fix";
  const image = imageName(finding);
  return {
    ruleId: vulnerability,
    ruleIndex,
    level: LEVELS[severity] ?? "note",
    message: { text: `${one.name} ${one.version} in ${image} has ${vulnerability}, ${fix}.` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: relativeUri(one.location || finding.repoPath || "") },
          region: { startLine: 1 },
        },
        message: { text: image },
      },
    ],
    partialFingerprints: { "wharf/v1": `${vulnerability}:${finding.repoPath}:${one.purl}` },
    properties: { digest, package: one.purl ?? "" },
    suppressions: suppressionsOf(finding),
  };
}

/** Readers of SARIF resolve locations below the root of the sources. */
function relativeUri(path: string): string {
  return path.replace(/^\/+/, "").split("/").map(encodeURIComponent).join("/");
}

const SUPPRESSED: ReadonlySet<FindingStatusJson | undefined> = new Set([
  "FINDING_STATUS_NOT_AFFECTED",
  "FINDING_STATUS_FIXED",
  "FINDING_STATUS_ACCEPTED",
]);

/** All results have a list of suppressions, or none may: it is empty for open findings. */
function suppressionsOf({ status, decision }: FindingJson): object[] {
  if (!SUPPRESSED.has(status)) return [];
  const justification = decision?.reason || decision?.justification;
  return [{ kind: "external", ...(justification && { justification }) }];
}
