/** Documents of findings are valid by the published schemas, and say what the findings say. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type {
  FindingDecisionJson,
  FindingJson,
  FindingSeverityJson,
  FindingStatusJson,
} from "@wharf/contract/messages";
import { assertCycloneDx } from "../../test/cyclonedx-schema.ts";
import { assertValid } from "../../test/schemas.ts";
import { findingsDocument, NoFindingsError } from "./index.ts";

const TIME = "2026-03-01T10:00:00Z";
const ORIGIN = { time: new Date(TIME), registry: "registry.example.com", version: "1.2.3" };
const DIGEST = `sha256:${"1".repeat(64)}`;
const VECTOR = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N";
const REASON = "TLS is off";
const JUSTIFICATION = "vulnerable_code_not_in_execute_path";

const finding = (more: FindingJson = {}): FindingJson => ({
  ...{ repoPath: "acme/payments/api", digest: DIGEST, platform: "linux/arm64", tags: ["1.2"] },
  ...{ vulnerability: "CVE-2026-0001", aliases: ["GHSA-aaaa-bbbb-cccc"] },
  package: { purl: "pkg:apk/alpine/libssl3@3.3.0-r0", name: "libssl3", version: "3.3.0-r0" },
  ...{ status: "FINDING_STATUS_AFFECTED", severity: "FINDING_SEVERITY_HIGH" },
  ...{ severityScore: VECTOR, summary: "A summary" },
  ...{ fixedVersions: ["3.3.2-r0"], firstSeen: TIME },
  ...more,
});

const decided = (status: FindingStatusJson, more: FindingDecisionJson = {}) =>
  finding({ status, decision: { status, reason: REASON, time: TIME, ...more } });

/** A finding of each kind. */
const FINDINGS = [
  finding(),
  finding({ fixedVersions: [], severity: "FINDING_SEVERITY_UNSPECIFIED", summary: "" }),
  finding({
    status: "FINDING_STATUS_UNKNOWN",
    severity: "FINDING_SEVERITY_NEGLIGIBLE",
    aliases: [],
  }),
  decided("FINDING_STATUS_NOT_AFFECTED", { justification: JUSTIFICATION }),
  decided("FINDING_STATUS_NOT_AFFECTED", { reason: "" }),
  decided("FINDING_STATUS_FIXED"),
  decided("FINDING_STATUS_ACCEPTED"),
  decided("FINDING_STATUS_AFFECTED", { reason: "reachable" }),
  finding({
    vulnerability: "GHSA-dddd-eeee-ffff",
    severity: "FINDING_SEVERITY_CRITICAL",
    tags: [],
    package: {
      ...{ purl: "pkg:npm/a@1", name: "a", version: "1" },
      location: "/app/[id]/node_modules/a b/package.json",
    },
  }),
];

// biome-ignore lint/suspicious/noExplicitAny: documents have every shape.
const written = (format: "sarif" | "cyclonedx" | "openvex", findings = FINDINGS): any =>
  findingsDocument(format, findings, ORIGIN);

const IMAGE = `pkg:oci/api@${encodeURIComponent(DIGEST)}?arch=arm64&repository_url=registry.example.com%2Facme%2Fpayments%2Fapi`;

describe("documents of findings", () => {
  test("SARIF is valid, with a rule for each vulnerability", () => {
    const document = written("sarif");
    assertValid("sarif", document);
    const [{ tool, results }] = document.runs;
    const ids = tool.driver.rules.map(({ id }: { id: string }) => id);
    assert.deepEqual(ids, ["CVE-2026-0001", "GHSA-dddd-eeee-ffff"]);
    const scores = tool.driver.rules.map(
      (rule: { properties: Record<string, string> }) => rule.properties["security-severity"],
    );
    assert.deepEqual(scores, ["8.0", "9.5"]);
    assert.equal(results.length, FINDINGS.length);
    const { uri } = results.at(-1).locations[0].physicalLocation.artifactLocation;
    assert.equal(uri, "app/%5Bid%5D/node_modules/a%20b/package.json");
    for (const { ruleId, ruleIndex } of results) assert.equal(ids[ruleIndex], ruleId);
  });

  test("SARIF suppresses what is decided, and nothing that is open", () => {
    const [{ results }] = written("sarif").runs;
    const suppressed = results.map(({ suppressions }: { suppressions: object[] }) => suppressions);
    const external = { kind: "external", justification: REASON };
    assert.deepEqual(suppressed, [
      ...[[], [], []],
      ...[[external], [{ kind: "external" }], [external], [external]],
      ...[[], []],
    ]);
  });

  test("OpenVEX is valid, and has a statement for each finding", () => {
    const document = written("openvex");
    assertValid("openvex", document);
    const statuses = document.statements.map(({ status }: { status: string }) => status);
    assert.deepEqual(statuses, [
      ...["affected", "affected", "under_investigation"],
      ...["not_affected", "not_affected", "fixed"],
      ...["affected", "affected", "affected"],
    ]);
    const [first, , , justified] = document.statements;
    assert.equal(first.action_statement, "Update to 3.3.2-r0.");
    assert.equal(first.products[0]["@id"], IMAGE);
    assert.equal(justified.justification, JUSTIFICATION);
  });

  test("CycloneDX is valid, and its analysis is that of the decision", (context) => {
    const document = written("cyclonedx");
    const states = document.vulnerabilities.map(
      ({ analysis }: { analysis: { state: string } }) => analysis.state,
    );
    assert.deepEqual(states, [
      ...["exploitable", "exploitable", "in_triage"],
      ...["not_affected", "not_affected", "resolved"],
      ...["exploitable", "exploitable", "exploitable"],
    ]);
    assert.equal(document.vulnerabilities[3].analysis.justification, "code_not_reachable");
    assert.deepEqual(document.vulnerabilities[0].ratings, [{ severity: "high", vector: VECTOR }]);
    const refs = new Set(document.components.map((one: Record<string, string>) => one["bom-ref"]));
    for (const { affects } of document.vulnerabilities) {
      for (const { ref } of affects) assert.ok(refs.has(ref), ref);
    }
    assertCycloneDx(context, document);
  });

  test("findings of a package in two places are said once where formats forbid repetition", (context) => {
    const twice = ["/a", "/b"].map((location) =>
      finding({ package: { purl: "pkg:npm/a@1", name: "a", version: "1", location } }),
    );
    const openvex = written("openvex", twice);
    assertValid("openvex", openvex);
    assert.equal(openvex.statements.length, 1);
    const cyclonedx = written("cyclonedx", twice);
    assertCycloneDx(context, cyclonedx);
    assert.equal(cyclonedx.vulnerabilities.length, 1);
    assert.equal(written("sarif", twice).runs[0].results.length, 2);
  });

  test("statuses and severities of later versions are open and unknown", (context) => {
    const later = finding({
      status: "FINDING_STATUS_LATER" as FindingStatusJson,
      severity: 9 as unknown as FindingSeverityJson,
    });
    const sarif = written("sarif", [later]);
    assertValid("sarif", sarif);
    assert.deepEqual(sarif.runs[0].results[0].suppressions, []);
    const openvex = written("openvex", [later]);
    assertValid("openvex", openvex);
    assert.equal(openvex.statements[0].status, "under_investigation");
    const cyclonedx = written("cyclonedx", [later]);
    assertCycloneDx(context, cyclonedx);
    assert.equal(cyclonedx.vulnerabilities[0].analysis.state, "in_triage");
    assert.equal(cyclonedx.vulnerabilities[0].ratings[0].severity, "unknown");
  });

  test("documents name the version that wrote them", () => {
    assert.equal(written("sarif").runs[0].tool.driver.version, "1.2.3");
    assert.equal(written("openvex").tooling, "wharf 1.2.3");
    assert.equal(written("cyclonedx").metadata.tools.components[0].version, "1.2.3");
  });

  test("no findings are valid documents, too, or an error", (context) => {
    assertValid("sarif", written("sarif", []));
    assertCycloneDx(context, written("cyclonedx", []));
    assert.throws(() => written("openvex", []), NoFindingsError);
  });
});
