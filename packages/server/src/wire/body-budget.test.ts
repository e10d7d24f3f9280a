import assert from "node:assert/strict";
import { test } from "node:test";
import { BodyBudget } from "./body-budget.ts";

const FULL = { code: "UNAVAILABLE", httpStatus: 503 };

test("large bodies are accepted up to the budget, and a quarter of it for one network", () => {
  const budget = new BodyBudget(1_000);
  for (const network of ["a", "b", "c", "d"]) {
    budget.hold(network, 100);
    budget.hold(network, 150);
    assert.throws(() => budget.hold(network, 1), FULL);
  }
  assert.equal(budget.bytes, 1_000);
  assert.throws(() => budget.hold("e", 1), FULL);
  budget.release("a", 100);
  budget.hold("e", 100);
  assert.throws(() => budget.hold("a", 1), FULL);
});

test("released bytes are available again", () => {
  const budget = new BodyBudget(400);
  for (let n = 0; n < 10; n++) {
    budget.hold("a", 100);
    budget.release("a", 100);
  }
  assert.equal(budget.bytes, 0);
});
