import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { Severity_Type, SeveritySchema } from "@wharf/contract";
import { rate, scoreOf } from "./severity.ts";

const HIGH = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N";
const LOW = "CVSS:3.1/AV:L/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N";

test("vectors of all versions have scores, and texts that are none do not", () => {
  const scores: readonly (readonly [text: string, score: number | undefined])[] = [
    [HIGH, 7.5],
    ["CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N", 9.3],
    ["AV:N/AC:L/Au:N/C:P/I:P/A:P", 7.5],
    ["AV:N/AC:L/Au:N/C:P/I:P/A:P/E:U", 7.5],
    ["9.8", 9.8],
    ["98", undefined],
    ["AV:N", undefined],
    ["CVSS:4.0/AV:N", undefined],
    ["CVSS:3.1/AV:N", undefined],
    ["__proto__:N", undefined],
    ["", undefined],
  ];
  for (const [text, score] of scores) assert.equal(scoreOf(text), score, text);
});

test("a distribution's own word precedes scores, elsewhere it is the other way round", () => {
  const record = {
    severity: [{ type: "CVSS_V3", score: HIGH }],
    database_specific: { severity: "LOW" },
  };
  assert.deepEqual(rate(record, [], [], true), { severity: 2, score: "LOW" });
  assert.deepEqual(rate(record, [], [], false), { severity: 4, score: HIGH });
  const ubuntu = { severity: [{ type: "Ubuntu", score: "negligible" }] };
  assert.deepEqual(rate(ubuntu, [], [], true), { severity: 1, score: "negligible" });
});

test("a package's severity precedes the record's, and other sources come last", () => {
  const entry = { severity: [{ type: "CVSS_V3", score: LOW }] };
  const record = { severity: [{ type: "CVSS_V3", score: HIGH }] };
  assert.equal(rate(record, [entry], [], false).score, LOW);
  const others = [create(SeveritySchema, { type: Severity_Type.CVSS_V3, score: HIGH })];
  assert.deepEqual(rate({}, [{}], others, true), { severity: 4, score: HIGH });
  assert.deepEqual(rate({ severity: "HIGH" }, [], [], true), { severity: 0, score: "" });
});

test("CVSS 4 precedes CVSS 3, and of one version the highest counts", () => {
  const v4 = "CVSS:4.0/AV:L/AC:H/AT:N/PR:H/UI:A/VC:L/VI:N/VA:N/SC:N/SI:N/SA:N";
  const severity = [HIGH, LOW].map((score) => ({ type: "CVSS_V3", score }));
  assert.equal(rate({ severity }, [], [], false).score, HIGH);
  const both = [...severity, { type: "CVSS_V4", score: v4 }];
  assert.equal(rate({ severity: both }, [], [], false).score, v4);
});
