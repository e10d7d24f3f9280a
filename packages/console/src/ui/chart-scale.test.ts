import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { niceMaximum, type Series, stacked } from "./chart-scale.ts";

describe("the end of an axis", () => {
  test("is the next even round number", () => {
    const values = [1, 2, 3, 4, 5, 7, 9, 10, 11, 21, 41, 99, 100, 101, 5999, 6001];
    assert.deepEqual(values.map(niceMaximum), [
      ...[2, 2, 4, 4, 6, 8, 10, 10, 20, 40, 60, 100, 100, 200, 6000, 8000],
    ]);
  });

  test("is at least the value, at most twice as much, and has a whole middle", () => {
    for (let value = 1; value < 1e7; value = Math.ceil(value * 1.13)) {
      const top = niceMaximum(value);
      assert.ok(top >= value, `${value}: ${top}`);
      assert.ok(top <= Math.max(2, value * 2), `${value}: ${top}`);
      assert.ok(Number.isInteger(top / 2), `${value}: ${top}`);
    }
  });
});

describe("segments of a column", () => {
  const series = (tone: Series["tone"], ...values: number[]): Series => ({
    name: tone,
    tone,
    values,
  });
  const all = [series("good", 3, 0), series("soft", 0, 0), series("bad", 2, 5)];

  test("are stacked from the bottom up, without empty ones", () => {
    assert.deepEqual(stacked(all, 0), [
      { tone: "good", from: 0, to: 3 },
      { tone: "bad", from: 3, to: 5 },
    ]);
    assert.deepEqual(stacked(all, 1), [{ tone: "bad", from: 0, to: 5 }]);
  });

  test("of a column without values do not exist", () => {
    assert.deepEqual(stacked(all, 2), []);
    assert.deepEqual(stacked([], 0), []);
  });

  test("touch each other and add up to the total", () => {
    const many = (["accent", "good", "bad", "soft"] as const).map((tone, at) =>
      series(tone, at * 7 + 1),
    );
    const segments = stacked(many, 0);
    for (const [at, { from }] of segments.entries()) {
      assert.equal(from, segments[at - 1]?.to ?? 0);
    }
    assert.equal(segments.at(-1)?.to, 1 + 8 + 15 + 22);
  });
});
