import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { FindingJson } from "@wharf/contract/messages";
import { findingsDocument } from "./index.ts";

const ORIGIN = {
  time: new Date("2026-03-01T00:00:00Z"),
  registry: "registry.example.com",
  version: "1.2.3",
};
const DIGEST = `sha256:${"ab".repeat(32)}`;

const AFFECTED: FindingJson = {
  ...{ repoPath: "acme/team/api", digest: DIGEST, platform: "linux/arm64", tags: ["1.0"] },
  ...{ vulnerability: "CVE-2026-1", aliases: ["GHSA-1"], summary: "Pads without end" },
  package: { purl: "pkg:npm/left-pad@1.2.0", name: "left-pad", version: "1.2.0" },
  status: "FINDING_STATUS_AFFECTED",
  severity: "FINDING_SEVERITY_HIGH",
  fixedVersions: ["1.3.0"],
  firstSeen: "2026-02-01T00:00:00Z",
};

const CLEARED: FindingJson = {
  ...AFFECTED,
  vulnerability: "CVE-2026-2",
  severity: "FINDING_SEVERITY_NEGLIGIBLE",
  status: "FINDING_STATUS_NOT_AFFECTED",
  decision: {
    justification: "vulnerable_code_not_in_execute_path",
    reason: "Nobody pads here.",
    time: "2026-02-03T00:00:00Z",
  },
};

const ACCEPTED: FindingJson = {
  ...AFFECTED,
  status: "FINDING_STATUS_ACCEPTED",
  decision: { reason: "Until the next release." },
};

const PURL = `pkg:oci/api@${encodeURIComponent(DIGEST)}?arch=arm64&repository_url=registry.example.com%2Facme%2Fteam%2Fapi`;

// biome-ignore lint/suspicious/noExplicitAny: documents have every shape.
const written = (format: "sarif" | "cyclonedx" | "openvex", ...findings: FindingJson[]): any =>
  findingsDocument(format, findings, ORIGIN);

describe("findings as OpenVEX", () => {
  test("have a status with what it requires", () => {
    const { statements, ...document } = written("openvex", AFFECTED, CLEARED, ACCEPTED);
    assert.equal(document["@context"], "https://openvex.dev/ns/v0.2.0");
    assert.match(document["@id"], /^urn:wharf:vex:[0-9a-f]{64}$/);
    assert.deepEqual(statements[0], {
      vulnerability: { name: "CVE-2026-1", aliases: ["GHSA-1"] },
      products: [{ "@id": PURL, subcomponents: [{ "@id": "pkg:npm/left-pad@1.2.0" }] }],
      status: "affected",
      timestamp: "2026-02-01T00:00:00Z",
      action_statement: "Update to 1.3.0.",
    });
    assert.equal(statements[1].justification, "vulnerable_code_not_in_execute_path");
    assert.equal(statements[1].impact_statement, "Nobody pads here.");
    assert.equal(statements[1].timestamp, "2026-02-03T00:00:00Z");
    assert.equal(statements[2].action_statement, "Until the next release.");
  });

  test("are the same document only if they say the same", () => {
    assert.equal(written("openvex", AFFECTED)["@id"], written("openvex", AFFECTED)["@id"]);
    assert.notEqual(written("openvex", AFFECTED)["@id"], written("openvex", CLEARED)["@id"]);
  });
});

test("findings as CycloneDX have their analysis, and their images as components", () => {
  const { components, vulnerabilities } = written("cyclonedx", AFFECTED, CLEARED, ACCEPTED);
  assert.deepEqual(
    components.map((one: { purl: string }) => one.purl),
    [PURL, "pkg:npm/left-pad@1.2.0"],
  );
  const [affected, cleared, accepted] = vulnerabilities;
  assert.deepEqual(affected.analysis, { state: "exploitable" });
  assert.deepEqual(affected.ratings, [{ severity: "high" }]);
  assert.equal(affected.recommendation, "Update left-pad to 1.3.0");
  assert.deepEqual(cleared.analysis, {
    state: "not_affected",
    justification: "code_not_reachable",
    detail: "Nobody pads here.",
  });
  assert.deepEqual(cleared.ratings, [{ severity: "info" }]);
  assert.deepEqual(accepted.analysis.response, ["will_not_fix"]);
});

test("findings as SARIF have one rule for each vulnerability, with its worst severity", () => {
  const low: FindingJson = { ...AFFECTED, severity: "FINDING_SEVERITY_LOW" };
  const { runs } = written("sarif", low, AFFECTED, CLEARED);
  const [{ tool, results }] = runs;
  assert.deepEqual(
    tool.driver.rules.map((one: { id: string; properties: Record<string, string> }) => [
      one.id,
      one.properties["security-severity"],
    ]),
    [
      ["CVE-2026-1", "8.0"],
      ["CVE-2026-2", "0.1"],
    ],
  );
  assert.deepEqual(
    results.map((one: { ruleIndex: number; level: string }) => [one.ruleIndex, one.level]),
    [
      [0, "note"],
      [0, "error"],
      [1, "note"],
    ],
  );
  assert.deepEqual(results[1].suppressions, []);
  assert.equal(results[2].suppressions[0].justification, "Nobody pads here.");
  assert.match(
    results[1].message.text,
    /left-pad 1\.2\.0 in acme\/team\/api:1\.0 \(linux\/arm64\) has CVE-2026-1, fixed in 1\.3\.0/,
  );
});
