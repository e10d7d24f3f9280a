import assert from "node:assert/strict";
import { test } from "node:test";
import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { AdvisorySchema } from "@wharf/contract";
import { fixedVersions, statusOf } from "./status.ts";

function advisory(...events: JsonObject[]) {
  const common = { createTime: "2026-01-01T00:00:00Z", reviewState: "REVIEW_STATE_APPROVED" };
  return fromJson(AdvisorySchema, { events: events.map((one) => ({ ...common, ...one })) });
}

const FIXED = { fixed: { fixedVersion: "1.0-r1" } };
const FOUND = { detection: { manual: {} } };
const PENDING = { reviewState: "REVIEW_STATE_PENDING" };
const LATER = { createTime: "2026-01-02T00:00:00Z" };

test("the status of an advisory is its latest approved event", () => {
  const shown = (...events: JsonObject[]) => {
    const one = advisory(...events);
    return [statusOf(one), ...fixedVersions(one)];
  };
  assert.deepEqual(shown(FOUND, FIXED), ["fixed", "1.0-r1"], "the later one at the same time");
  assert.deepEqual(shown(FIXED, FOUND), ["under investigation"]);
  assert.deepEqual(shown({ ...FIXED, ...LATER }, FOUND), ["fixed", "1.0-r1"]);
  assert.deepEqual(shown(FOUND, { ...FIXED, ...LATER, ...PENDING }), ["under investigation"]);
  assert.deepEqual(shown({ ...FIXED, ...PENDING }), [""]);
  const moved = { componentLocationChanged: { newLocation: "/b" }, ...LATER };
  assert.deepEqual(shown(FIXED, moved), ["fixed", "1.0-r1"]);
  const patched = { patched: { patchedVersions: ["1", "2"] } };
  assert.deepEqual(shown(patched), ["fixed", "1", "2"]);
});
