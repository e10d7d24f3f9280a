import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { FindingJson } from "@wharf/contract/messages";
import { type DocumentOrigin, distinct, NoFindingsError } from "./document.ts";
import { imagePurl } from "./image-purl.ts";
import { type StatusWords, statusWord } from "./words.ts";

/** OpenVEX 0.2.0: a statement for each finding, with the image as product and the package as its component. */

const STATUSES: StatusWords = {
  FINDING_STATUS_UNSPECIFIED: "under_investigation",
  FINDING_STATUS_AFFECTED: "affected",
  FINDING_STATUS_UNKNOWN: "under_investigation",
  FINDING_STATUS_ACCEPTED: "affected",
  FINDING_STATUS_NOT_AFFECTED: "not_affected",
  FINDING_STATUS_FIXED: "fixed",
};

const NO_FIX = "No fix is known.";

export function openvexOf(findings: readonly FindingJson[], origin: DocumentOrigin): object {
  const statements = distinct(findings.map((one) => statementOf(one, origin)));
  if (statements.length === 0) {
    throw new NoFindingsError("an OpenVEX document has at least one statement");
  }
  const digest = bytesToHex(sha256(utf8ToBytes(JSON.stringify(statements))));
  return {
    "@context": "https://openvex.dev/ns/v0.2.0",
    "@id": `urn:wharf:vex:${digest}`,
    author: "Wharf",
    timestamp: origin.time.toISOString(),
    version: 1,
    tooling: `wharf ${origin.version}`,
    statements,
  };
}

function statementOf(finding: FindingJson, origin: DocumentOrigin) {
  const { vulnerability, aliases = [], package: one, decision } = finding;
  const timestamp = decision?.time ?? finding.firstSeen;
  return {
    vulnerability: { name: vulnerability, ...(aliases[0] && { aliases }) },
    products: [
      {
        "@id": imagePurl(finding, origin),
        ...(one?.purl && { subcomponents: [{ "@id": one.purl }] }),
      },
    ],
    status: statusWord(STATUSES, finding.status),
    ...(timestamp && { timestamp }),
    ...explanationOf(finding),
  };
}

/** The members that the status requires: a justification or an impact, or an action. */
function explanationOf({ status, decision, fixedVersions = [] }: FindingJson) {
  const { justification, reason } = decision ?? {};
  if (status === "FINDING_STATUS_NOT_AFFECTED") {
    if (justification) return { justification, ...(reason && { impact_statement: reason }) };
    return { impact_statement: reason || "Stated by the author of the decision." };
  }
  if (status === "FINDING_STATUS_AFFECTED" || status === "FINDING_STATUS_ACCEPTED") {
    const [fixed] = fixedVersions;
    return { action_statement: reason || (fixed ? `Update to ${fixed}.` : NO_FIX) };
  }
  return {};
}
