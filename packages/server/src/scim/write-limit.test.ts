import assert from "node:assert/strict";
import { test } from "node:test";
import { WharfError } from "../lib/errors.ts";
import { LocalRateLimits } from "../lib/scheduling/rate-limits.ts";
import { WriteLimiter } from "./write-limit.ts";

/** A limiter whose time is set. */
class TimedLimiter {
  #now = 0;
  readonly #limiter: WriteLimiter;

  constructor(perMinute: number) {
    this.#limiter = new WriteLimiter(perMinute, new LocalRateLimits(() => this.#now));
  }

  take(provider: string, address: string, now: number): Promise<void> {
    this.#now = now;
    return this.#limiter.take(provider, address);
  }
}

/** The number of writes that succeed, and the Retry-After of the first rejected one. */
async function tried(
  limit: TimedLimiter,
  times: number,
  provider: string,
  address: string,
  now: number,
) {
  for (let done = 0; done < times; done++) {
    try {
      await limit.take(provider, address, now);
    } catch (error) {
      assert.ok(error instanceof WharfError && error.httpStatus === 429);
      return { done, wait: error.retryAfterSeconds };
    }
  }
  return { done: times, wait: 0 };
}

test("a minute's quota allows a burst and refills evenly", async () => {
  const limit = new TimedLimiter(60);
  assert.deepEqual(await tried(limit, 100, "p", "a", 0), { done: 60, wait: 1 });
  assert.deepEqual(await tried(limit, 100, "p", "a", 500), { done: 0, wait: 1 });
  assert.deepEqual(await tried(limit, 100, "p", "a", 10_500), { done: 10, wait: 1 });
  assert.equal((await tried(limit, 100, "p", "a", 10_000_000)).done, 60);
});

test("providers are limited separately, and by their network together", async () => {
  const limit = new TimedLimiter(2);
  assert.deepEqual(await tried(limit, 3, "p1", "a", 0), { done: 2, wait: 30 });
  assert.equal((await tried(limit, 3, "p2", "a", 0)).done, 2);
  assert.equal((await tried(limit, 3, "p3", "a", 0)).done, 2);
  assert.equal((await tried(limit, 3, "p4", "a", 0)).done, 2);
  assert.deepEqual(await tried(limit, 3, "p5", "a", 0), { done: 0, wait: 8 });
  assert.equal((await tried(limit, 3, "p5", "b", 0)).done, 2, "rejected writes do not count");
});

test("the limiter forgets providers that are idle", async () => {
  const limit = new TimedLimiter(1);
  for (let at = 0; at < 30_000; at++) await limit.take(`p${at}`, `a${at}`, at * 10);
  assert.equal((await tried(limit, 2, "p29999", "new", 300_000)).done, 0);
});

test("a clock that is set back refills nothing", async () => {
  const limit = new TimedLimiter(1);
  await limit.take("p", "a", 100_000);
  assert.equal((await tried(limit, 1, "p", "a", 0)).done, 0);
});
