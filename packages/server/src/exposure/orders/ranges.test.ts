import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { orderOf } from "./order-of.ts";
import { evaluateAffected } from "./ranges.ts";

type Event = Readonly<Record<string, string>>;

const range = (...events: Event[]): JsonObject => ({
  ranges: [{ type: "ECOSYSTEM", events: [...events] }],
});

const inDebian = (affected: JsonObject, version: string) =>
  evaluateAffected(affected, version, orderOf("Debian:12"));

const stateOf = (affected: JsonObject, version: string) => inDebian(affected, version).state;

/** The versions from 1 to 6 that an entry affects. */
const affectedBy = (affected: JsonObject) =>
  ["1", "2", "3", "4", "5", "6"].filter((version) => stateOf(affected, version) === "affected");

test("a range begins at its introduction and ends before its fix", () => {
  assert.deepEqual(affectedBy(range({ introduced: "2" }, { fixed: "4" })), ["2", "3"]);
  assert.deepEqual(inDebian(range({ introduced: "2" }, { fixed: "4" }), "3"), {
    state: "affected",
    reason: "in range",
    fixed: ["4"],
    introduced: "2",
  });
  assert.deepEqual(inDebian(range({ introduced: "2" }, { fixed: "4" }), "4"), {
    state: "not_affected",
    reason: "outside all ranges",
    fixed: [],
  });
});

test("0 precedes all versions, also those before 0 in the order", () => {
  assert.equal(stateOf(range({ introduced: "0" }, { fixed: "4" }), "0~rc1"), "affected");
  assert.equal(stateOf(range({ introduced: "0.0" }, { fixed: "4" }), "0~rc1"), "not_affected");
});

test("last_affected is inclusive", () => {
  assert.deepEqual(affectedBy(range({ introduced: "2" }, { last_affected: "4" })), ["2", "3", "4"]);
  assert.deepEqual(affectedBy(range({ introduced: "3" }, { last_affected: "3" })), ["3"]);
  assert.deepEqual(affectedBy(range({ last_affected: "3" }, { introduced: "3" })), ["3"]);
});

test("the order of events in the record does not matter", () => {
  const events = [{ introduced: "0" }, { fixed: "2" }, { introduced: "4" }, { fixed: "6" }];
  assert.deepEqual(affectedBy(range(...events)), ["1", "4", "5"]);
  assert.deepEqual(affectedBy(range(...events.toReversed())), ["1", "4", "5"]);
  assert.deepEqual(inDebian(range(...events.toReversed()), "1").fixed, ["2"]);
  assert.deepEqual(inDebian(range(...events.toReversed()), "4").fixed, ["6"]);
  const adjoining = [{ introduced: "0" }, { fixed: "2" }, { introduced: "2" }, { fixed: "3" }];
  assert.deepEqual(affectedBy(range(...adjoining)), ["1", "2"]);
});

test("several ranges are a union, and a version has the next fix of each", () => {
  const affected: JsonObject = {
    ranges: [
      { type: "ECOSYSTEM", events: [{ introduced: "1" }, { fixed: "3" }] },
      { type: "ECOSYSTEM", events: [{ introduced: "2" }, { fixed: "5" }] },
    ],
  };
  assert.deepEqual(affectedBy(affected), ["1", "2", "3", "4"]);
  assert.deepEqual(inDebian(affected, "2").fixed, ["3", "5"]);
  assert.deepEqual(inDebian(affected, "4").fixed, ["5"]);
});

test("a version must be before one of the limits", () => {
  const open = { introduced: "2" };
  assert.deepEqual(affectedBy(range(open, { limit: "4" })), ["2", "3"]);
  assert.deepEqual(affectedBy(range(open, { limit: "4" }, { limit: "5" })), ["2", "3", "4"]);
  assert.deepEqual(affectedBy(range(open, { limit: "*" })), ["2", "3", "4", "5", "6"]);
  assert.equal(stateOf(range(open, { limit: "_" }), "3"), "unknown");
});

test("commits are not versions", () => {
  const git = { type: "GIT", repo: "https://x.test/r", events: [{ introduced: "0" }] };
  assert.deepEqual(inDebian({ ranges: [git] }, "3"), {
    state: "unknown",
    reason: "no versions in the record",
    fixed: [],
  });
  assert.equal(stateOf({ ranges: [git], versions: ["2"] }, "3"), "not_affected");
});

test("listed versions are affected, in any notation of their order", () => {
  const affected = { ...range({ introduced: "5" }, { fixed: "6" }), versions: ["0:2", "3~rc1"] };
  assert.deepEqual(affectedBy(affected), ["2", "5"]);
  assert.equal(inDebian(affected, "2").reason, "listed version");
  assert.deepEqual(inDebian(affected, "2").fixed, ["6"]);
});

test("introduced 0 and fixed 0 says that no version is affected", () => {
  for (const events of [
    [{ introduced: "0" }, { fixed: "0" }],
    [{ fixed: "0" }, { introduced: "0" }],
  ]) {
    for (const version of ["3", "0~1", "not a version", ""]) {
      const found = inDebian(range(...events), version);
      assert.equal(found.reason, "explicitly not affected", version);
      assert.equal(found.state, "not_affected");
    }
    assert.equal(stateOf({ ...range(...events), versions: ["3"] }, "3"), "affected");
    assert.equal(stateOf({ ...range(...events), versions: ["3"] }, "4"), "not_affected");
  }
});

test("patched versions are not affected within the range of another branch", () => {
  const affected: JsonObject = {
    ...range({ introduced: "0" }, { fixed: "5" }),
    ecosystem_specific: { patched_versions: ["3", "5"] },
  };
  assert.deepEqual(affectedBy(affected), ["1", "2", "4"]);
  assert.equal(inDebian(affected, "3").reason, "patched version");
});

test("a version that cannot be compared is never called unaffected", () => {
  const branch = "feature branch";
  const affected = range({ introduced: "2" }, { fixed: "4" });
  assert.deepEqual(inDebian(affected, branch), {
    state: "unknown",
    reason: "version not comparable",
    fixed: ["4"],
  });
  assert.equal(stateOf(affected, ""), "unknown");
  assert.equal(stateOf({ ...affected, versions: [branch] }, branch), "affected");
  assert.equal(stateOf({ versions: ["1"] }, branch), "unknown");
  assert.equal(stateOf(range({ introduced: "0" }), branch), "affected");
  assert.equal(stateOf(range({ introduced: "2" }, { fixed: "not a version" }), "3"), "unknown");
});

test("without order, listed versions alone are evaluated", () => {
  const evaluated = (affected: JsonObject, version: string) =>
    evaluateAffected(affected, version, orderOf("OSS-Fuzz"));
  assert.equal(evaluated({ versions: ["1", "2"] }, "2").state, "affected");
  for (const affected of [{ versions: ["1"] }, range({ introduced: "1" }, { fixed: "4" })]) {
    assert.equal(evaluated(affected, "2").state, "unknown");
    assert.equal(evaluated(affected, "2").reason, "versions of the ecosystem not comparable");
  }
  const semantic = { ranges: [{ type: "SEMVER", events: [{ introduced: "1" }, { fixed: "4" }] }] };
  assert.equal(evaluated(semantic, "v3.0.0").state, "affected");
  assert.equal(evaluated(semantic, "4.0.0").state, "not_affected");
});

test("members of other types are ignored, and numbers of YAML are versions", () => {
  const hostile: JsonObject = { ranges: [null, 1, [], { events: "x" }], versions: { a: 1 } };
  assert.equal(stateOf(hostile, "1"), "unknown");
  assert.equal(stateOf(range({ fixed: "4" }), "5"), "unknown");
  assert.equal(stateOf({ ranges: "x" }, "1"), "unknown");
  const events = [{ introduced: 0 }, { fixed: 4.5 }];
  assert.deepEqual(inDebian({ ranges: [{ type: "ECOSYSTEM", events }] }, "3").fixed, ["4.5"]);
});
