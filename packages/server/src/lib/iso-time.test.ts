import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isoTime } from "./iso-time.ts";

/** Failures name the path below this seed. */
const SEED = 20_261;

test("the first second of all is written before any other", () => {
  assert.equal(isoTime(7), "1970-01-01T00:00:00.007Z");
});

test("times are written as dates write themselves, in any order", () => {
  const time = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 });
  const near = fc.tuple(time, fc.integer({ min: 0, max: 2_000 })).map(([at, by]) => [at, at + by]);
  fc.assert(
    fc.property(near, (times) => {
      for (const ms of times) assert.equal(isoTime(ms), new Date(ms).toISOString());
    }),
    { seed: SEED },
  );
});

test("an invalid time is rejected and does not affect the cache", () => {
  assert.throws(() => isoTime(Number.NaN), RangeError);
  assert.equal(isoTime(0), "1970-01-01T00:00:00.000Z");
});
