import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chosenValues, toggledValue } from "./chip-values.ts";

describe("the values of chips", () => {
  test("are separated by commas in the URL", () => {
    assert.deepEqual(chosenValues("critical,high"), ["critical", "high"]);
    assert.deepEqual(chosenValues(undefined), []);
  });

  test("are switched on and off one by one", () => {
    assert.equal(toggledValue(undefined, "high"), "high");
    assert.equal(toggledValue("critical", "high"), "critical,high");
    assert.equal(toggledValue("critical,high", "critical"), "high");
    assert.equal(toggledValue("high", "high"), "");
  });

  test("replace each other where there is one at a time", () => {
    assert.equal(toggledValue("true", "false", true), "false");
    assert.equal(toggledValue("true", "true", true), "");
  });
});
