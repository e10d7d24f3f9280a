import assert from "node:assert/strict";
import { after, before } from "node:test";
import { ExposureWorld } from "./support/exposure/exposure-world.ts";
import { HIGH, osv } from "./support/exposure/osv-records.ts";
import { onEachStore } from "./support/world/world.ts";

onEachStore("bases of findings", (world) => {
  let exposure: ExposureWorld;
  before(async () => {
    exposure = await ExposureWorld.open(world);
  });
  after(() => exposure.close());

  world.rule(
    "a listed finding says by which records, versions and statements it is",
    async (api) => {
      const org = await world.organization();
      const group = await world.group(org);
      const { uid: repoUid } = await api.repos.create(group, { name: "app" });
      const purl = "pkg:npm/based@1.0.0";
      await exposure.image({ repo: repoUid, packages: [purl] });
      await exposure.importOsv(
        org,
        osv("GHSA-base-dddd-0001", "npm", "based", "1.2.0", {
          ...{ aliases: ["CVE-2026-9901"], summary: "Path traversal" },
          severity: [{ type: "CVSS_V3", score: HIGH }],
        }),
      );
      await exposure.drain();
      const author = await world.member({ [org]: ["advisories.create"] });
      const { uid } = await api.as(author.token).decisions.create(repoUid, {
        ...{ vulnerability: "GHSA-base-dddd-0001", status: "FINDING_STATUS_NOT_AFFECTED" },
        reason: "never called",
      });
      const list = async (request: object) =>
        (await api.findings.listFindings({ repoUid, ...request })).findings;
      const [finding, ...others] = await list({});
      assert.deepEqual(others, []);
      assert.equal(finding.vulnerability, "CVE-2026-9901");
      assert.deepEqual(finding.aliases, ["GHSA-base-dddd-0001"]);
      assert.deepEqual(finding.fixedVersions, ["1.2.0"]);
      assert.equal(finding.severity, "FINDING_SEVERITY_HIGH");
      assert.equal(finding.severityScore, HIGH);
      assert.equal(finding.severitySource, "GHSA-base-dddd-0001");
      assert.equal(finding.summary, "Path traversal");
      const { records, matchedBy, introduced, groupUid, recordTime } = finding.basis;
      assert.deepEqual([records, introduced], [["GHSA-base-dddd-0001"], "0"]);
      assert.deepEqual([matchedBy, groupUid], ["MATCHED_BY_NAME", org]);
      assert.ok(Date.parse(recordTime) > 0);
      await api.decisions.reviewDecision({ uid, state: "DECISION_REVIEW_STATE_APPROVED" });
      await exposure.drain();
      assert.deepEqual(await list({}), [], "suppressed ones are not open");
      const [decided] = await list({ statuses: ["FINDING_STATUS_NOT_AFFECTED"] });
      const { origin, status, reason, decisionUid, time } = decided.decision;
      assert.deepEqual(
        [origin, status, reason, decisionUid],
        ["DECISION_ORIGIN_DECISION", "FINDING_STATUS_NOT_AFFECTED", "never called", uid],
      );
      assert.ok(Date.parse(time) > 0);
      assert.equal(decided.decision.author, author.uid);
      const { vulnerabilities } = await api.findings.listFoundVulnerabilities({
        ...{ repoUid, vulnerabilities: ["GHSA-base-dddd-0001"] },
        statuses: ["FINDING_STATUS_NOT_AFFECTED"],
      });
      assert.deepEqual(
        [vulnerabilities[0]?.aliases, vulnerabilities[0]?.summary],
        [["GHSA-base-dddd-0001"], "Path traversal"],
      );
    },
  );
});
