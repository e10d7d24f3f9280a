import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { maxStalenessOf, stalenessText } from "./staleness.ts";

describe("the staleness that a request allows", () => {
  for (const [text, ms] of [
    [undefined, undefined],
    ["0s", 0],
    ["10s", 10_000],
    ["0.25s", 250],
    ["86400s", 86_400_000],
  ] as const) {
    test(`${text ?? "no header"} is ${ms ?? "none"}`, () => {
      assert.equal(maxStalenessOf({ maxStaleness: text }), ms);
    });
  }

  for (const text of ["", "10", "-1s", "10 s", "1e3s", ".5s", "1.s", "10s, 20s", "10ms", "∞s"]) {
    test(`${JSON.stringify(text)} is rejected with the value`, () => {
      assert.throws(() => maxStalenessOf({ maxStaleness: text }), {
        code: "INVALID_ARGUMENT",
        message: /wharf-max-staleness must be a number of seconds such as 10s/,
      });
    });
  }

  test("what is said of a response is never less than it is", () => {
    assert.equal(stalenessText(0), "0.000s");
    assert.equal(stalenessText(1_234.01), "1.235s");
  });
});
