import assert from "node:assert/strict";
import { test } from "node:test";
import { isNotModified, stateHeaders } from "./state.ts";

const CHANGED = Date.UTC(2026, 0, 2, 3, 4, 5, 600);
const STATE = { etag: '"e"', changed: CHANGED, isOfKey: false };
const HEADERS = { "if-modified-since": new Date(CHANGED).toUTCString() };

test("a date validates a file once the second of its last change is over", () => {
  const now = CHANGED + 1_000;
  assert.ok(stateHeaders(STATE, now)["last-modified"]);
  assert.equal(isNotModified(HEADERS, STATE, now), true);
});

test("a date does not validate a file while the clock is behind its last change", () => {
  for (const now of [CHANGED, CHANGED - 3_600_000]) {
    assert.equal(stateHeaders(STATE, now)["last-modified"], undefined);
    assert.equal(isNotModified(HEADERS, STATE, now), false);
    assert.equal(isNotModified({ "if-none-match": '"e"' }, STATE, now), true);
  }
});
