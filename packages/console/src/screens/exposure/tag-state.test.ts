import assert from "node:assert/strict";
import { test } from "node:test";
import { tagState } from "./tag-state.ts";

test("a tag has the fix only if its packages are known", () => {
  assert.equal(tagState({ known: true }), "fixed");
  assert.equal(tagState({}), "unknown");
  assert.equal(tagState({ status: "FINDING_STATUS_AFFECTED" }), "affected");
  assert.equal(tagState({ status: "FINDING_STATUS_UNKNOWN", known: true }), "unknown");
  assert.equal(tagState({ status: "FINDING_STATUS_NOT_AFFECTED", known: true }), "suppressed");
  assert.equal(tagState({ status: "FINDING_STATUS_ACCEPTED" }), "unknown");
});
