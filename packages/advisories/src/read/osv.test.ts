import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { GHSA, V3, V4 } from "../../test/osv-samples.ts";
import { advisoryIdOf } from "../advisory-id.ts";
import { problemsOf, readToJson } from "./testing.ts";

describe("OSV", () => {
  test("is fixed wherever the event introduced 0 is", () => {
    const first = GHSA.affected[0];
    const events = (...events: object[]) => {
      const affected = [{ ...first, ranges: [{ type: "SEMVER", events }] }];
      return readToJson({ ...GHSA, affected }).advisories[0].events;
    };
    const expected = events({ introduced: "0" }, { fixed: "4.2.1" });
    assert.equal(expected[0].fixed.fixedVersion, "4.2.1");
    assert.deepEqual(events({ fixed: "4.2.1" }, { introduced: "0" }), expected);
  });

  test("has the metadata of a vulnerability", () => {
    assert.deepEqual(readToJson(GHSA).vulnerabilities, [
      {
        id: "GHSA-4x9r-j582-cgr8",
        aliases: ["CVE-2026-20333"],
        summary: "Cross-site scripting in a template helper",
        publishTime: "2026-03-01T09:00:00Z",
        updateTime: "2026-03-05T22:10:11.372001Z",
        severities: [
          { type: "TYPE_CVSS_V3", score: V3 },
          { type: "TYPE_CVSS_V4", score: V4 },
        ],
      },
    ]);
  });

  test("has an advisory for each package, fixed if every range is", () => {
    const [npm, python, ...others] = readToJson(GHSA).advisories;
    assert.deepEqual(others, []);
    assert.deepEqual(npm, {
      advisoryId: advisoryIdOf(["npm", "@acme/templates", "all", "GHSA-4x9r-j582-cgr8"]),
      artifactName: "@acme/templates",
      artifactType: "npm",
      artifactArchitecture: "all",
      componentName: "@acme/templates",
      componentType: "npm",
      aliases: ["GHSA-4x9r-j582-cgr8", "CVE-2026-20333"],
      createTime: "2026-03-01T09:00:00Z",
      events: [
        {
          createTime: "2026-03-05T22:10:11.372001Z",
          reviewState: "REVIEW_STATE_APPROVED",
          patched: { patchedVersions: ["4.2.1", "5.0.3"] },
        },
      ],
      source: { osv: { id: GHSA.id, affected: [0, 1, 3].map((at) => GHSA.affected[at]) } },
    });
    assert.equal(python.artifactType, "pypi");
    assert.deepEqual(python.events[0].truePositiveDetermination, { note: "Affected: up to 1.1." });
  });

  test("is affected if any range has no fix", () => {
    const affected = [
      {
        package: { ecosystem: "Debian:12", name: "zlib" },
        ranges: [{ type: "ECOSYSTEM", events: [{ introduced: "0" }, { fixed: "1:1.3-1" }] }],
      },
      {
        package: { ecosystem: "Debian:11", name: "zlib" },
        ranges: [{ type: "ECOSYSTEM", events: [{ introduced: "0" }] }],
      },
      {
        package: { ecosystem: "Go", name: "example.com/zip" },
        ranges: [
          {
            type: "SEMVER",
            events: [{ introduced: "0" }, { fixed: "1.2.0" }, { introduced: "2.0.0" }],
          },
        ],
      },
    ];
    const { advisories } = readToJson({ ...GHSA, affected });
    assert.deepEqual(
      advisories.map((one: Record<string, unknown>) => [
        one.artifactType,
        one.artifactName,
        one.componentLocation,
        (one.events as Record<string, unknown>[])[0]?.truePositiveDetermination ??
          (one.events as Record<string, unknown>[])[0]?.fixed,
      ]),
      [
        ["deb", "zlib", "Debian:12", { fixedVersion: "1:1.3-1" }],
        ["deb", "zlib", "Debian:11", { note: "Affected: all versions." }],
        ["golang", "example.com/zip", undefined, { note: "Affected: from 2.0.0. Fixed in 1.2.0." }],
      ],
    );
    assert.notEqual(advisories[0].advisoryId, advisories[1].advisoryId);
  });

  test("is affected up to a limit", () => {
    const note = (...events: object[]) => {
      const affected = [{ ...GHSA.affected[0], ranges: [{ type: "SEMVER", events }] }];
      return readToJson({ ...GHSA, affected }).advisories[0].events[0].truePositiveDetermination
        .note;
    };
    assert.equal(note({ introduced: "0" }, { limit: "3.0" }), "Affected: before 3.0.");
    assert.equal(note({ introduced: "1.5" }, { limit: "3.0" }), "Affected: from 1.5 before 3.0.");
    assert.equal(
      note({ introduced: "0" }, { limit: "2" }, { limit: "*" }),
      "Affected: all versions.",
    );
  });

  test("is as old as its record, unless that was published after it was modified", () => {
    const created = (times: object) => readToJson({ ...GHSA, ...times }).advisories[0].createTime;
    const modified = "2026-03-05T00:00:00Z";
    assert.equal(created({ modified, published: "2019-01-02T00:00:00Z" }), "2019-01-02T00:00:00Z");
    for (const published of [undefined, "0001-01-01T00:00:00Z", modified, "2026-03-06T00:00:00Z"]) {
      assert.equal(created({ modified, published }), undefined, `${published}`);
    }
  });

  test("of very many ranges has a truncated note", () => {
    const events = Array.from({ length: 400 }, (_, at) => [
      { introduced: `1.${at}.0` },
      { last_affected: `1.${at}.9` },
    ]).flat();
    const package_ = { ecosystem: "npm", name: "x" };
    const affected = [{ package: package_, ranges: [{ type: "SEMVER", events }] }];
    const { note } = readToJson({ ...GHSA, affected }).advisories[0].events[0]
      .truePositiveDetermination;
    assert.equal(note.length, 4_096);
    assert.match(note, /^Affected: up to 1\.0\.9, up to 1\.1\.9, .*…$/);
  });

  test("that was withdrawn has no severities, and false positives", () => {
    const { advisories, vulnerabilities } = readToJson({
      ...GHSA,
      withdrawn: "2026-04-01T00:00:00Z",
    });
    assert.equal(vulnerabilities[0].severities, undefined);
    assert.deepEqual(advisories[0].events[1], {
      createTime: "2026-04-01T00:00:00Z",
      reviewState: "REVIEW_STATE_APPROVED",
      falsePositiveDetermination: {
        type: "TYPE_VULNERABILITY_RECORD_ANALYSIS_CONTESTED",
        note: "The vulnerability record was withdrawn.",
      },
    });
  });

  test("may be read for metadata only", () => {
    const document = readToJson(GHSA, { metadataOnly: true });
    assert.equal(document.advisories, undefined);
    assert.equal(document.vulnerabilities.length, 1);
  });

  test("includes severities of packages, each once", () => {
    const { severity, ...rest } = GHSA;
    const affected = [0, 1].map(() => ({ ...GHSA.affected[0], severity }));
    assert.equal(readToJson({ ...rest, affected }).vulnerabilities[0].severities.length, 2);
  });

  test("of Wharf is imported without loss", () => {
    const advisory = {
      advisoryId: "CGA-2q5g-x3vm-7r9c",
      createTime: "2026-01-01T00:00:00Z",
      author: "someone@example.com",
      artifactName: "curl",
      artifactType: "apk",
      artifactArchitecture: "x86_64",
      componentName: "nghttp2",
      componentLocation: "/usr/lib",
      componentType: "apk",
      aliases: ["CVE-2026-11053", "GHSA-2jw5-hcfr-4pqm"],
      events: [
        {
          createTime: "2026-01-01T00:00:00.123Z",
          author: "someone@example.com",
          reviewState: "REVIEW_STATE_APPROVED",
          pendingUpstreamFix: { note: "soon" },
        },
      ],
      severities: [{ type: "TYPE_CVSS_V3", score: V3 }],
    };
    const document = {
      schema_version: "1.7.0",
      id: advisory.advisoryId,
      modified: "2026-01-01T00:00:00Z",
      database_specific: { wharf: advisory },
    };
    const read = readToJson(document);
    assert.deepEqual(read.advisories, [advisory]);
    assert.deepEqual(read.vulnerabilities, [
      {
        id: "CVE-2026-11053",
        aliases: ["GHSA-2jw5-hcfr-4pqm"],
        severities: [{ type: "TYPE_CVSS_V3", score: V3 }],
      },
    ]);
    const elsewhere = { ...advisory, advisoryId: "ACME-1" };
    const foreign = { ...document, id: "x_ACME-1", database_specific: { wharf: elsewhere } };
    assert.equal(readToJson(foreign).advisories[0].advisoryId, "ACME-1");
    const deleted = { ...advisory, deleteTime: "2026-02-01T00:00:00Z" };
    assert.equal(
      readToJson({ ...document, database_specific: { wharf: deleted } }).advisories,
      undefined,
    );
    assert.match(
      problemsOf({ ...document, id: "CGA-other" })[0] as string,
      /must be the document's id/,
    );
    const wrong = { ...document, database_specific: { wharf: { advisoryId: 7 } } };
    assert.match(problemsOf(wrong)[0] as string, /database_specific\.wharf: is not an advisory: /);
  });

  test("in YAML is the same", () => {
    const yaml = `id: PYSEC-2026-7
modified: "2026-01-01T00:00:00Z"
affected:
- package: {name: acme, ecosystem: PyPI, purl: "pkg:pypi/acme"}
  ranges:
  - type: ECOSYSTEM
    events:
    - introduced: "0"
    - fixed: 1.10
`;
    assert.deepEqual(readToJson(yaml).advisories[0].events[0].fixed, { fixedVersion: "1.10" });
  });

  test("of other versions or with invalid fields is rejected with line and reason", () => {
    assert.deepEqual(problemsOf({ ...GHSA, schema_version: "2.0.0" }), [
      '2:21: schema_version: schema version "2.0.0" is not supported; expected 1.x',
    ]);
    const wrong = {
      schema_version: "1.6.0",
      id: 7,
      modified: "tomorrow",
      severity: [{ type: "CVSS_V3", score: "AV:N" }],
      affected: [{ package: { ecosystem: "npm", name: "", purl: "npm/a" } }],
      aliases: "CVE-1",
    };
    assert.deepEqual(problemsOf(wrong), [
      '4:15: modified: must be a time such as 2026-01-31T12:00:00Z, not "tomorrow"',
      '8:16: severity[0].score: must be a CVSS vector of its type, or a number, not "AV:N"',
      "3:9: id: must be text, not a number",
      "20:14: aliases: must be a list, not text",
    ]);
    const affected = [{ package: { ecosystem: "npm", name: "", purl: "npm/a" } }];
    assert.deepEqual(problemsOf({ id: "A-1", modified: "2026-01-01T00:00:00Z", affected }), [
      "8:17: affected[0].package.name: is missing",
      '9:17: affected[0].package.purl: "npm/a" is not a package URL',
    ]);
  });
});
