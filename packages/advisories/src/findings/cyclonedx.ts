import type { FindingJson } from "@wharf/contract/messages";
import { type DocumentOrigin, distinct } from "./document.ts";
import { imagePurl } from "./image-purl.ts";
import { type StatusWords, severityWord, statusWord } from "./words.ts";

/** CycloneDX 1.6 with vulnerabilities and their analysis (VEX). */

const STATES: StatusWords = {
  FINDING_STATUS_UNSPECIFIED: "in_triage",
  FINDING_STATUS_AFFECTED: "exploitable",
  FINDING_STATUS_UNKNOWN: "in_triage",
  FINDING_STATUS_ACCEPTED: "exploitable",
  FINDING_STATUS_NOT_AFFECTED: "not_affected",
  FINDING_STATUS_FIXED: "resolved",
};

/** Justifications of OpenVEX in the words of CycloneDX. */
const JUSTIFICATIONS: Readonly<Record<string, string>> = {
  component_not_present: "code_not_present",
  vulnerable_code_not_present: "code_not_present",
  vulnerable_code_not_in_execute_path: "code_not_reachable",
  vulnerable_code_cannot_be_controlled_by_adversary: "requires_environment",
  inline_mitigations_already_exist: "protected_by_mitigating_control",
};

export function cyclonedxOf(findings: readonly FindingJson[], origin: DocumentOrigin): object {
  const images = new Map(findings.map((one) => [imagePurl(one, origin), one]));
  const packages = new Map(
    findings.flatMap(({ package: one }) => (one?.purl ? [[one.purl, one] as const] : [])),
  );
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      timestamp: origin.time.toISOString(),
      tools: { components: [{ type: "application", name: "Wharf", version: origin.version }] },
    },
    components: [
      ...[...images].map(([purl, { repoPath, digest }]) => ({
        ...{ type: "container", "bom-ref": purl, name: repoPath, version: digest, purl },
      })),
      ...[...packages].map(([purl, { name, version }]) => ({
        ...{ type: "library", "bom-ref": purl, name, version, purl },
      })),
    ],
    vulnerabilities: distinct(findings.map((one) => vulnerabilityOf(one, origin))),
  };
}

function vulnerabilityOf(finding: FindingJson, origin: DocumentOrigin) {
  const { vulnerability, summary, fixedVersions = [], package: one } = finding;
  return {
    id: vulnerability,
    references: (finding.aliases ?? []).map((id) => ({ id, source: { name: id.split("-")[0] } })),
    ratings: [ratingOf(finding)],
    ...(summary && { description: summary }),
    ...(fixedVersions[0] && { recommendation: `Update ${one?.name} to ${fixedVersions[0]}` }),
    analysis: analysisOf(finding),
    affects: [{ ref: imagePurl(finding, origin) }, ...(one?.purl ? [{ ref: one.purl }] : [])],
  };
}

/** CycloneDX calls the lowest severity that has a name "info". The basis of a severity may be a vector of CVSS. */
function ratingOf({ severity, severityScore: basis = "" }: FindingJson) {
  const word = severityWord(severity);
  return {
    severity: word === "negligible" ? "info" : word,
    ...(basis.startsWith("CVSS:") && { vector: basis }),
  };
}

function analysisOf({ status, decision }: FindingJson) {
  const justification = JUSTIFICATIONS[decision?.justification ?? ""];
  return {
    state: statusWord(STATES, status),
    ...(justification && { justification }),
    ...(status === "FINDING_STATUS_ACCEPTED" && { response: ["will_not_fix"] }),
    ...(decision?.reason && { detail: decision.reason }),
  };
}
