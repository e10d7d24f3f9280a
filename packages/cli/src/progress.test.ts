import assert from "node:assert/strict";
import { test } from "node:test";
import { frame } from "./progress.ts";

test("a bar where the end is known, a spinner otherwise", () => {
  const at = (done?: number, total?: number) => ({ text: "listing", done, total });
  assert.equal(frame(at(), 0), "⠋ listing");
  assert.equal(frame(at(7), 100), "⠙ listing 7");
  assert.equal(frame(at(1, 2), 0), `listing ${"█".repeat(12)}${"░".repeat(12)} 1/2`);
  assert.equal(frame(at(9, 2), 0), `listing ${"█".repeat(24)} 9/2`);
});
