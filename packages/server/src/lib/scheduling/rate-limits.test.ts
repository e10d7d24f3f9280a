import assert from "node:assert/strict";
import { test } from "node:test";
import { LocalRateLimits } from "./rate-limits.ts";

test("uses of several limiters are taken together or not at all", async () => {
  let now = 0;
  const limits = new LocalRateLimits(() => now);
  const use = (limiter: string, capacity: number, key: string) => ({
    ...{ limiter, key },
    limit: { capacity, refill: 1, intervalMs: 1_000 },
  });
  const both = (key: string) => limits.take([use("one", 1, key), use("all", 2, "same")]);
  assert.equal(await both("a"), 0);
  assert.equal(await both("a"), 1_000);
  assert.equal(await both("b"), 0, "a rejected use takes nothing");
  assert.equal(await both("c"), 1_000);
  assert.equal(await limits.take([use("one", 1, "c")]), 0);
  now = 1_000;
  assert.equal(await both("c"), 0);
});
