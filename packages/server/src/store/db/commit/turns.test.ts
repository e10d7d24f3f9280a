import assert from "node:assert/strict";
import { test } from "node:test";
import { Turns } from "./turns.ts";

test("a replica takes turns after a conflict, and longer if it returns", () => {
  let now = 1_000;
  const turns = new Turns(() => now);
  const msUntilTogether = () => {
    const begun = now;
    while (turns.next === "alone") now += 100;
    return now - begun;
  };
  assert.equal(turns.next, "together");
  turns.conflicted();
  assert.equal(msUntilTogether(), 5_000);
  for (const ms of [10_000, 20_000, 40_000, 60_000, 60_000]) {
    turns.conflicted();
    assert.equal(msUntilTogether(), ms);
  }
  now += 60_000;
  turns.conflicted();
  assert.equal(msUntilTogether(), 5_000, "after a time without conflicts");
});
