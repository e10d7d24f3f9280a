import assert from "node:assert/strict";
import { test } from "node:test";
import { isRecentSignIn } from "./recent-sign-in.ts";

const MINUTE = 60_000;

test("a sign-in is recent for fifteen minutes, and never at an unknown time", () => {
  const now = Date.UTC(2026, 0, 1);
  assert.equal(isRecentSignIn(now, now), true);
  assert.equal(isRecentSignIn(now - 15 * MINUTE, now), true);
  assert.equal(isRecentSignIn(now - 15 * MINUTE - 1, now), false);
  assert.equal(isRecentSignIn(0, now), false);
});
