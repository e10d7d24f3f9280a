import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { type Advisory, AdvisorySourceSchema } from "@wharf/contract/messages";
import { GHSA } from "../../test/osv-samples.ts";
import { PUBLICATION } from "../../test/samples.ts";
import { osvDocument } from "../publish/index.ts";
import { problemText } from "./document-error.ts";
import { READ_LIMITS } from "./limits.ts";
import { readDocument } from "./read.ts";
import { problemsOf, readToJson } from "./testing.ts";

describe("an OSV record", () => {
  test("is kept, once for all packages without what is affected", () => {
    const { affected: _, ...record } = GHSA;
    const { sources, advisories } = readToJson(GHSA);
    assert.deepEqual(sources, [{ osv: record }]);
    const entries = [2, 3].map((at) => GHSA.affected[at]);
    assert.deepEqual(advisories[1].source, { osv: { id: GHSA.id, affected: entries } });
    assert.equal(readToJson(GHSA, { metadataOnly: true }).sources, undefined);
    const unknown = { ...GHSA, invented: 1, credits: null };
    assert.deepEqual(readToJson(unknown).sources, [{ osv: record }]);
  });

  test("in YAML has texts, except in free members, which are JSON", () => {
    const yaml = `id: OSV-2026-7
modified: "2026-01-01T00:00:00Z"
affected:
- package: {name: zstd, ecosystem: OSS-Fuzz}
  versions: [v1.4, 1.10]
  ecosystem_specific: {severity: null, empty: , weight: 1.5, ok: true, text: "1", day: 010}
database_specific: {list: [~, -2e3, no], "true": "true"}
`;
    const { sources, advisories } = readToJson(yaml);
    const [entry] = advisories[0].source.osv.affected;
    assert.deepEqual(entry.versions, ["v1.4", "1.10"]);
    assert.deepEqual(entry.ecosystem_specific, {
      ...{ severity: null, empty: null, weight: 1.5, ok: true, text: "1", day: "010" },
    });
    assert.deepEqual(sources[0].osv.database_specific, { list: [null, -2000, "no"], true: "true" });
  });

  test("is rejected if it cannot be kept", () => {
    const limits = { ...READ_LIMITS, recordBytes: 2_000, affectedBytes: 600, recordDepth: 7 };
    const read = (more: object) => problemsOf({ ...GHSA, ...more }, { limits });
    assert.match(
      read({ details: "x".repeat(1_900) })[0] as string,
      /^1:1: has 2\d\d\d bytes without affected; the maximum is 2000$/,
    );
    const versions = Array.from({ length: 100 }, (_, at) => `1.${at}`);
    const affected = [{ package: { ecosystem: "npm", name: "x" }, versions }];
    assert.match(
      read({ affected })[0] as string,
      /^\d+:15: affected: has \d+ bytes of one package; the maximum is 600$/,
    );
    const nested = JSON.parse(`${"[".repeat(7)}1${"]".repeat(7)}`);
    assert.deepEqual(read({ database_specific: { nested } }), [
      "1:1: is nested more than 7 levels deep",
    ]);
    const wrong = { references: [{ url: 1 }], credits: ["Ada"], related: [{}], details: 7 };
    assert.deepEqual(
      read({ ...wrong, affected: [] }).map((problem) => problem.replace(/^\d+:\d+: /, "")),
      [
        "related[0]: must be text, not an object",
        "references[0].url: must be text, not a number",
        "credits[0]: must be an object, not text",
        "details: must be text, not a number",
      ],
    );
  });

  test("has upstream vulnerabilities as aliases of its advisories, but not of its own", () => {
    const upstream = ["CVE-2026-20335", "CVE-2026-20333"];
    const { advisories, vulnerabilities } = readToJson({ ...GHSA, upstream });
    assert.deepEqual(vulnerabilities[0].aliases, ["CVE-2026-20333"]);
    const names = ["GHSA-4x9r-j582-cgr8", "CVE-2026-20333", "CVE-2026-20335"];
    assert.deepEqual(advisories[0].aliases, names);
    const many = Array.from({ length: 700 }, (_, at) => `CVE-2025-${1000 + at}`);
    assert.equal(readToJson({ ...GHSA, upstream: many }).advisories[0].aliases.length, 702);
  });

  test("with a repeated alias has it once, with a warning", () => {
    const warnings: string[] = [];
    const aliases = ["CVE-2026-20333", "CVE-2026-1", "CVE-2026-20333"];
    const read = readToJson(
      { ...GHSA, aliases },
      { onWarning: (warning) => warnings.push(problemText(warning)) },
    );
    assert.deepEqual(read.vulnerabilities[0].aliases, ["CVE-2026-20333", "CVE-2026-1"]);
    assert.deepEqual(warnings, ['9:5: aliases[2]: "CVE-2026-20333" occurs twice; it counts once']);
  });

  test("without packages has an advisory for each repository", () => {
    const range = (repo: string, ...events: object[]) => ({
      ranges: [{ type: "GIT", repo: `https://example.com/${repo}`, events }],
    });
    const commit = "a".repeat(40);
    const affected = [
      range("acme.git", { introduced: "0" }, { fixed: commit }),
      range("zip", { introduced: commit }),
      { versions: ["v1"] },
    ];
    const { advisories } = readToJson({ ...GHSA, affected });
    assert.deepEqual(
      advisories.map((one: { artifactName: string; artifactType: string; events: object[] }) => [
        one.artifactType,
        one.artifactName,
        one.events.map((event) => Object.values(event).at(-1)),
      ]),
      [
        ["git", "example.com/acme.git", [{ fixedVersion: commit }]],
        ["git", "example.com/zip", [{ note: `Affected: from ${commit}.` }]],
      ],
    );
    assert.deepEqual(advisories[1].source.osv.affected, [affected[1]]);
  });

  test("stays withdrawn when it is modified later", () => {
    const withdrawn = "2026-03-02T00:00:00Z";
    for (const { events } of readToJson({ ...GHSA, withdrawn }).advisories) {
      assert.deepEqual(events, [
        {
          createTime: GHSA.modified,
          reviewState: "REVIEW_STATE_APPROVED",
          falsePositiveDetermination: {
            type: "TYPE_VULNERABILITY_RECORD_ANALYSIS_CONTESTED",
            note: "The vulnerability record was withdrawn.",
          },
        },
      ]);
    }
  });

  test("has no time where the zero time is given", () => {
    const zero = "0001-01-01T00:00:00Z";
    const { sources: _, ...plain } = readToJson({ ...GHSA, published: undefined });
    const { sources: _sources, ...read } = readToJson({
      ...GHSA,
      published: zero,
      withdrawn: zero,
    });
    assert.deepEqual(read, plain);
    const [advisory] = readToJson({ ...GHSA, modified: zero }).advisories;
    assert.equal(advisory.events[0].createTime, GHSA.published);
    for (const modified of [zero, undefined, "2999-01-01T00:00:00Z"]) {
      const without = { ...GHSA, modified, published: zero };
      const { advisories, vulnerabilities } = readToJson(without);
      assert.equal(advisories[0].events[0].createTime, undefined);
      assert.equal(vulnerabilities[0].updateTime, undefined);
      const [withdrawn] = readToJson({ ...without, withdrawn: GHSA.published }).advisories;
      assert.equal(
        withdrawn.events.length,
        1,
        "it stays withdrawn whatever the time of the import is",
      );
    }
    const warnings: string[] = [];
    readToJson(
      { ...GHSA, modified: "2999-01-01T00:00:00Z" },
      { onWarning: ({ path, reason }) => warnings.push(`${path} ${reason}`) },
    );
    assert.deepEqual(warnings, [
      'modified "2999-01-01T00:00:00Z" is in the future; it counts as not given',
    ]);
  });

  test("of a distribution is found by related CVEs if it names no others", () => {
    const cves = ["CVE-2026-0007", "CVE-2026-0008"];
    const record = (ecosystem: string, more: object) => ({
      ...{
        ...GHSA,
        id: "ALSA-2026:0001",
        aliases: undefined,
        related: [...cves, "ALSA-2026:0000"],
      },
      affected: [{ package: { ecosystem, name: "zlib" } }],
      ...more,
    });
    const names = (ecosystem: string, more: object = {}) =>
      readToJson(record(ecosystem, more)).advisories[0].aliases;
    assert.deepEqual(names("AlmaLinux:9"), ["ALSA-2026:0001", ...cves]);
    const upstream = ["CVE-2026-0001"];
    assert.deepEqual(names("AlmaLinux:9", { upstream }), ["ALSA-2026:0001", ...upstream]);
    assert.deepEqual(names("npm"), ["ALSA-2026:0001"]);
    const [read] = readDocument(Buffer.from(JSON.stringify(record("AlmaLinux:9", {}))), {
      name: "test",
    }).advisories;
    const osv = record("AlmaLinux:9", {}) as never;
    const source = create(AdvisorySourceSchema, { osv, inEffect: true });
    const document = osvDocument([{ ...(read as Advisory), source }], PUBLICATION);
    assert.deepEqual(
      [document?.aliases, document?.upstream, document?.related],
      [undefined, undefined, [...cves, "ALSA-2026:0000"]],
    );
  });

  test("is not affected where each range ends where it begins", () => {
    const range = (...events: object[]) => ({ type: "ECOSYSTEM", events });
    const empty = range({ introduced: "0" }, { fixed: "0" });
    const event = (entry: object) => {
      const affected = [{ package: { ecosystem: "Wolfi", name: "zlib" }, ...entry }];
      return readToJson({ ...GHSA, affected }).advisories[0].events[0];
    };
    const note = "The vulnerability record lists no affected versions.";
    assert.deepEqual(event({ ranges: [empty] }).falsePositiveDetermination, { note });
    const fixed = range({ introduced: "2" }, { fixed: "3" });
    assert.deepEqual(event({ ranges: [empty, fixed] }).fixed, { fixedVersion: "3" });
    assert.deepEqual(event({ ranges: [empty], versions: ["1"] }).truePositiveDetermination, {
      note: "Affected: 1 listed versions.",
    });
  });
});
