import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { advisoryIdOf } from "../advisory-id.ts";
import { linesOf } from "./read.ts";
import { problemsOf, readToJson } from "./testing.ts";

const CURL = `schema-version: 2.0.2

package:
  name: curl

advisories:
  - id: CGA-2q5g-x3vm-7r9c
    aliases:
      - CVE-2026-11053
      - GHSA-2jw5-hcfr-4pqm
    events:
      - timestamp: 2026-02-11T07:13:05Z
        type: detection
        data:
          type: scan/v1
          data:
            subpackageName: libcurl-openssl4
            componentID: 5a3c1f0e9b7d2468
            componentName: nghttp2
            componentVersion: 1.64.0-r0
            componentType: apk
            componentLocation: /lib/apk/db/installed
            scanner: grype
      - timestamp: 2026-02-11T09:00:00.5Z
        type: true-positive-determination
      - timestamp: 2026-02-12T10:00:00Z
        type: fixed
        data:
          fixed-version: 8.11.1-r0
  - id: CGA-3wxr-55jp-h6fm
    aliases: [CVE-2025-0725]
    events:
      - timestamp: 2026-01-02T00:00:00Z
        type: detection
        data: {type: manual}
      - timestamp: 2026-01-03T00:00:00Z
        type: false-positive-determination
        data:
          type: vulnerable-code-not-included-in-package
          note: |
            Only builds with zlib before 1.2.0.4 have it.
            Ours is newer.
`;

const ADVISORY = (events: string) => `schema-version: "2"
package: {name: p}
advisories:
  - id: CGA-2q5g-x3vm-7r9c
    events:
${events}`;

describe("advisories of a package, schema version 2", () => {
  test("are read with every event", () => {
    const [first, second] = readToJson(CURL).advisories;
    assert.deepEqual(first, {
      advisoryId: "CGA-2q5g-x3vm-7r9c",
      artifactName: "curl",
      artifactType: "apk",
      artifactArchitecture: "all",
      componentName: "nghttp2",
      componentLocation: "/lib/apk/db/installed",
      componentType: "apk",
      aliases: ["CVE-2026-11053", "GHSA-2jw5-hcfr-4pqm"],
      events: [
        {
          createTime: "2026-02-11T07:13:05Z",
          reviewState: "REVIEW_STATE_APPROVED",
          detection: {
            scanv1: {
              scanner: "grype",
              subpackage: "libcurl-openssl4",
              componentId: "5a3c1f0e9b7d2468",
              component: "nghttp2",
              componentVersion: "1.64.0-r0",
              componentType: "apk",
              componentLocation: "/lib/apk/db/installed",
            },
          },
        },
        {
          createTime: "2026-02-11T09:00:00.500Z",
          reviewState: "REVIEW_STATE_APPROVED",
          truePositiveDetermination: {},
        },
        {
          createTime: "2026-02-12T10:00:00Z",
          reviewState: "REVIEW_STATE_APPROVED",
          fixed: { fixedVersion: "8.11.1-r0" },
        },
      ],
    });
    assert.deepEqual([second.componentName, second.componentType], ["curl", "apk"]);
    assert.deepEqual(second.events[1].falsePositiveDetermination, {
      type: "TYPE_VULNERABLE_CODE_NOT_INCLUDED_IN_PACKAGE",
      note: "Only builds with zlib before 1.2.0.4 have it.\nOurs is newer.\n",
    });
  });

  test("may have each type of event and detection", () => {
    const time = "timestamp: 2026-01-01T00:00:00Z";
    const { events } = readToJson(
      ADVISORY(`
      - {${time}, type: analysis-not-planned, data: {note: end of life}}
      - {${time}, type: fix-not-planned, data: {note: never}}
      - {${time}, type: pending-upstream-fix, data: {note: "https://example.com/1"}}
      - {${time}, type: true-positive-determination, data: {note: yes}}
      - {${time}, type: detection, data: {type: nvdapi, data: {cpeSearched: "cpe:2.3:a", cpeFound: "cpe:2.3:b"}}}
`),
    ).advisories[0];
    assert.deepEqual(
      events.map(
        ({ createTime: _, reviewState: __, ...type }: object & Record<string, unknown>) => type,
      ),
      [
        { analysisNotPlanned: { note: "end of life" } },
        { fixNotPlanned: { note: "never" } },
        { pendingUpstreamFix: { note: "https://example.com/1" } },
        { truePositiveDetermination: { note: "yes" } },
        { detection: { nvdapi: { cpeSearched: "cpe:2.3:a", cpeFound: "cpe:2.3:b" } } },
      ],
    );
  });

  test("keep versions as they are written", () => {
    const event =
      "      - {timestamp: 2026-01-01T00:00:00Z, type: fixed, data: {fixed-version: 1.20}}";
    assert.equal(readToJson(ADVISORY(event)).advisories[0].events[0].fixed.fixedVersion, "1.20");
  });

  test("with a vulnerability as id get a derived id", () => {
    const [advisory] = readToJson(
      CURL.replace("CGA-3wxr-55jp-h6fm", "CVE-2025-9999"),
    ).advisories.slice(1);
    assert.equal(advisory.advisoryId, advisoryIdOf(["apk", "curl", "all", "CVE-2025-9999"]));
    assert.equal(advisory.legacyAdvisoryId, "CVE-2025-9999");
    assert.deepEqual(advisory.aliases, ["CVE-2025-9999", "CVE-2025-0725"]);
  });

  test("of any 2.x are read, others are rejected by name", () => {
    for (const version of ["2", "2.0", "2.0.1", "2.1", "2.14.3"]) {
      assert.equal(readToJson(CURL.replace("2.0.2", version)).advisories.length, 2);
    }
    for (const version of ["1", "1.9", "3.0.0", "20", "2.x", "two"]) {
      assert.deepEqual(problemsOf(CURL.replace("2.0.2", version)), [
        `1:17: schema-version: schema version "${version}" is not supported; expected 2.x`,
      ]);
    }
    assert.deepEqual(problemsOf(CURL.replace("schema-version: 2.0.2\n", "")), [
      '2:1: schema-version: schema version "1" is not supported; expected 2.x',
    ]);
  });

  test("have locations that list thousands of places, and none that are longer", () => {
    const places = Array.from({ length: 850 }, (_, at) => `/usr/lib/node_${at}/x`).join(", ");
    assert.ok(places.length > 17_000);
    const located = (text: string) => CURL.replace("/lib/apk/db/installed", text);
    assert.equal(readToJson(located(places)).advisories[0].componentLocation, places);
    const [problem] = problemsOf(located("x".repeat(65_537)));
    assert.match(
      problem as string,
      /componentLocation: has 65537 characters; the maximum is 65536$/,
    );
  });

  test("count a repeated alias once, with a warning", () => {
    const warnings: string[] = [];
    const onWarning = ({ path }: { path: string }) => warnings.push(path);
    const repeated = CURL.replace(/^( *)- CVE-.*$/m, "$&\n$&");
    assert.deepEqual(readToJson(repeated, { onWarning }), readToJson(CURL));
    assert.deepEqual(warnings, ["advisories[0].aliases[1]"]);
  });

  test("are rejected with all problems and their lines", () => {
    const wrong = `schema-version: 2.0.2
package:
  title: curl
advisories:
  - id: CGA-2q5g-x3vm-7r9c
    aliases: [CVE-2026-1, CVE-2026-1]
    events:
      - timestamp: yesterday
        type: fixed
        data: {fixed-version: [1]}
      - timestamp: 2026-01-01T00:00:00Z
        type: rumour
      - timestamp: 2026-01-01T00:00:00Z
        type: false-positive-determination
        data: {type: because}
      - timestamp: 2026-01-01T00:00:00Z
        type: pending-upstream-fix
      - type: detection
        data: {type: guess}
      - nothing
  - id: CGA-2q5g-x3vm-7r9c
    events: []
  - events: 7
  - CVE-2026-2
`;
    assert.deepEqual(problemsOf(wrong), [
      "3:3: package.name: is missing",
      '8:20: advisories[0].events[0].timestamp: must be a time such as 2026-01-31T12:00:00Z, not "yesterday"',
      "10:31: advisories[0].events[0].data.fixed-version: must be text, not a list",
      '12:15: advisories[0].events[1].type: must be one of detection, fixed, false-positive-determination, true-positive-determination, analysis-not-planned, fix-not-planned, pending-upstream-fix, not "rumour"',
      '15:22: advisories[0].events[2].data.type: must be one of vulnerability-record-analysis-contested, component-vulnerability-mismatch, vulnerable-code-version-not-used, vulnerable-code-not-included-in-package, vulnerable-code-not-in-execution-path, vulnerable-code-cannot-be-controlled-by-adversary, inline-mitigations-exist, not "because"',
      "16:9: advisories[0].events[3].data.note: is missing",
      "18:9: advisories[0].events[4].timestamp: is missing",
      '19:22: advisories[0].events[4].data.type: must be one of manual, nvdapi, scan/v1, not "guess"',
      "20:9: advisories[0].events[5]: must be an object, not text",
      "22:13: advisories[1].events: must have at least one event",
      '21:9: advisories[1].id: "CGA-2q5g-x3vm-7r9c" occurs twice',
      "23:5: advisories[2].id: is missing",
      "23:13: advisories[2].events: must be a list, not text",
      "24:5: advisories[3]: must be an object, not text",
    ]);
  });

  test("with a thousand equal problems are rejected with the first ones", () => {
    const event = "      - {timestamp: 2026-01-01T00:00:00Z, type: rumour}\n";
    const problems = problemsOf(ADVISORY(event.repeat(1000)));
    assert.equal(problems.length, 21);
    assert.equal(problems.at(-1), "has 980 more problems");
    assert.deepEqual(problemsOf(ADVISORY(event.repeat(1001))), [
      "6:7: advisories[0].events: has 1001 entries; the maximum is 1000",
    ]);
  });

  test("have line numbers for problems that are found later", () => {
    const bytes = Buffer.from(CURL);
    const fields = ["advisories[1].aliases", "advisories[0].events[2].fixed.note", "name"];
    assert.deepEqual(linesOf(bytes, fields), [30, 26, undefined]);
    assert.deepEqual(linesOf(Buffer.from("[not read"), []), []);
    const osv = Buffer.from('{"id":"CVE-2026-0001","modified":"2026-01-01T00:00:00Z"}');
    assert.deepEqual(linesOf(osv, ["advisories[0]"]), [undefined]);
  });

  test("may be JSON as well", () => {
    const events = [
      { timestamp: "2026-01-01T00:00:00Z", type: "fixed", data: { "fixed-version": 1 } },
    ];
    const document = {
      "schema-version": "2.0.2",
      package: { name: "p" },
      advisories: [{ id: "CGA-2q5g-x3vm-7r9c", events }],
    };
    assert.deepEqual(problemsOf(document), [
      "14:30: advisories[0].events[0].data.fixed-version: must be text, not a number",
    ]);
  });
});
