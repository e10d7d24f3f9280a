import assert from "node:assert/strict";
import { test } from "node:test";
import { StatementCosts } from "./statement-costs.ts";

/** Cheap runs until a statement counts as cheap. */
function runsUntilCheap(costs: StatementCosts): number {
  let runs = 0;
  for (; !costs.isCheap("SELECT 1"); runs++) costs.record("SELECT 1", 0.5);
  return runs;
}

test("a statement is cheap after some cheap runs in a row", () => {
  const costs = new StatementCosts();
  assert.equal(runsUntilCheap(costs), 16);
  assert.ok(!costs.isCheap("SELECT 2"));
});

test("a run that is not cheap starts again", () => {
  const costs = new StatementCosts();
  for (let run = 0; run < 15; run++) costs.record("SELECT 1", 0.5);
  costs.record("SELECT 1", 5);
  assert.equal(runsUntilCheap(costs), 16);
});

test("a statement that was taken for cheap needs more runs each time", () => {
  const costs = new StatementCosts();
  for (const runs of [16, 128, 1024]) {
    assert.equal(runsUntilCheap(costs), runs);
    costs.record("SELECT 1", 5);
  }
});
