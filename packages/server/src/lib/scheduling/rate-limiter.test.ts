import assert from "node:assert/strict";
import { test } from "node:test";
import { RateLimiter } from "./rate-limiter.ts";

/** Number of uses granted at one time. */
function granted(limiter: RateLimiter, key: string, uses: number, now: number): number {
  let count = 0;
  for (let use = 0; use < uses; use++) if (limiter.take(key, now) === 0) count += 1;
  return count;
}

test("a burst is granted at once and comes back with each interval", () => {
  const limiter = new RateLimiter({ capacity: 5, refill: 1, intervalMs: 100 });
  assert.equal(granted(limiter, "a", 9, 0), 5);
  assert.equal(limiter.take("a", 30), 70);
  assert.equal(granted(limiter, "a", 9, 250), 2);
  assert.equal(limiter.take("a", 250), 50, "the interval that is under way is not lost");
  assert.equal(granted(limiter, "a", 9, 100_000), 5);
});

test("where all comes back at once, nothing comes back before", () => {
  const limiter = new RateLimiter({ capacity: 3, refill: 3, intervalMs: 60_000 });
  assert.equal(granted(limiter, "a", 4, 0), 3);
  assert.equal(limiter.take("a", 59_999), 1);
  assert.equal(granted(limiter, "a", 4, 60_000), 3);
});

test("an interval begins with the first use of a full bucket", () => {
  const limiter = new RateLimiter({ capacity: 1, refill: 1, intervalMs: 60_000 });
  assert.equal(limiter.waitMs("a", 0), 0);
  assert.equal(limiter.take("a", 50_000), 0);
  assert.equal(limiter.take("a", 80_000), 30_000);
  assert.equal(limiter.take("a", 200_000), 0);
  assert.equal(limiter.take("a", 230_000), 30_000);
});

test("keys do not share, and rejected uses take nothing", () => {
  const limiter = new RateLimiter({ capacity: 1, refill: 1, intervalMs: 1_000 });
  assert.equal(limiter.take("a", 0), 0);
  assert.equal(limiter.take("b", 0), 0);
  for (let now = 0; now < 1_000; now += 100) assert.equal(limiter.take("a", now), 1_000 - now);
  assert.equal(limiter.take("a", 1_000), 0);
});

test("a clock that is set back grants nothing", () => {
  const limiter = new RateLimiter({ capacity: 1, refill: 1, intervalMs: 1_000 });
  assert.equal(limiter.take("a", 100_000), 0);
  assert.ok(limiter.take("a", 0) > 0);
});

test("the ten thousand most recently used keys are kept, and twenty thousand at most", () => {
  const limiter = new RateLimiter({ capacity: 1, refill: 1, intervalMs: 1_000_000 });
  assert.equal(limiter.take("first", 0), 0);
  for (let at = 0; at < 9_999; at++) limiter.take(`key ${at}`, 0);
  assert.ok(limiter.take("first", 0) > 0);
  for (let at = 0; at < 9_999; at++) limiter.take(`other ${at}`, 0);
  assert.ok(limiter.take("first", 0) > 0, "used 9,999 keys ago");
  for (let at = 0; at < 9_999; at++) limiter.take(`another ${at}`, 0);
  assert.equal(limiter.take("key 0", 0), 0, "dropped");
});
