import assert from "node:assert/strict";
import { test } from "node:test";
import { StepBudget } from "../../lib/pattern/step-budget.ts";
import { exactly, oneOf } from "./matcher.ts";

test("an empty expectation matches nothing, also no empty claim", () => {
  const budget = new StepBudget(1);
  for (const matcher of [exactly(""), oneOf([]), oneOf([""])])
    for (const value of ["", "a"]) assert.equal(matcher.matches(value, budget), false);
  for (const matcher of [exactly("a"), oneOf(["b", "a"])]) {
    assert.equal(matcher.matches("a", budget), true);
    assert.equal(matcher.matches("", budget), false);
  }
});
