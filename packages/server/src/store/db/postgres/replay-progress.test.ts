import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ReplayProgress, type WalState } from "./replay-progress.ts";

const at = (position: number | null, change: Partial<WalState> = {}): WalState => {
  return { isStandby: true, position, timeline: 1, database: "1 2 3", ...change };
};
const primaryAt = (position: number, change: Partial<WalState> = {}) =>
  at(position, { isStandby: false, ...change });

describe("the progress of a standby", () => {
  test("a standby is as current as the latest position that it has replayed", () => {
    const progress = new ReplayProgress();
    assert.equal(progress.currentAt, undefined);
    for (const [time, position] of [
      [1, 100],
      [2, 200],
      [3, 300],
    ] as const)
      progress.primaryIs(primaryAt(position), time);
    progress.standbyIs(at(50));
    assert.equal(progress.currentAt, undefined, "it has replayed no known position");
    progress.standbyIs(at(250));
    assert.equal(progress.currentAt, 2);
    progress.standbyIs(at(299));
    assert.equal(progress.currentAt, 2);
    progress.standbyIs(at(300));
    assert.equal(progress.currentAt, 3);
  });

  test("a standby of an idle primary stays current", () => {
    const progress = new ReplayProgress();
    for (const time of [1, 2, 3]) {
      progress.primaryIs(primaryAt(100), time);
      progress.standbyIs(at(100));
      assert.equal(progress.currentAt, time);
    }
  });

  test("a standby that stands still gets older", () => {
    const progress = new ReplayProgress();
    for (let time = 1; time < 5_000; time++) {
      progress.primaryIs(primaryAt(100 + time), time);
      progress.standbyIs(at(101));
    }
    assert.equal(progress.currentAt, 1);
    progress.standbyIs(at(102));
    assert.equal(progress.currentAt, 1, "that position of the primary is forgotten by now");
  });

  const rejected: readonly (readonly [what: string, state: WalState, why: RegExp])[] = [
    ["a primary", at(500, { isStandby: false }), /it is no standby/],
    ["another database", at(500, { database: "9 2 3" }), /another database than the primary/],
    ["an older timeline", at(500, { timeline: 0 }), /not followed the last promotion/],
    ["a newer timeline", at(500, { timeline: 2 }), /not followed the last promotion/],
    ["a standby behind the last one", at(99), /lags behind what was read before/],
    ["a standby that has replayed nothing", at(null), /lags behind what was read before/],
  ];
  for (const [what, state, why] of rejected) {
    test(`${what} is rejected`, () => {
      const progress = new ReplayProgress();
      progress.primaryIs(primaryAt(100), 1);
      progress.standbyIs(at(100));
      assert.throws(() => progress.accept(state), why);
      assert.throws(() => progress.standbyIs(state), why);
      assert.equal(progress.accept(at(100)), 100);
    });
  }

  test("nothing is accepted before the primary has answered", () => {
    assert.throws(() => new ReplayProgress().accept(at(1)), /has not answered yet/);
  });

  test("positions before a promotion say nothing about the standbys after it", () => {
    const progress = new ReplayProgress();
    progress.primaryIs(primaryAt(1_000), 1);
    progress.standbyIs(at(1_000));
    progress.primaryIs(primaryAt(900, { timeline: 2 }), 2);
    assert.equal(progress.currentAt, undefined);
    assert.throws(() => progress.standbyIs(at(1_000)), /not followed the last promotion/);
    progress.standbyIs(at(900, { timeline: 2 }));
    assert.equal(progress.currentAt, 2);
  });

  test("a standby that was lost is used again once its state is known", () => {
    const progress = new ReplayProgress();
    progress.primaryIs(primaryAt(100), 1);
    progress.standbyIs(at(100));
    progress.lost();
    assert.equal(progress.currentAt, undefined);
    progress.primaryIs(primaryAt(200), 2);
    progress.standbyIs(at(100));
    assert.equal(progress.currentAt, 1, "it is where it was");
    progress.standbyIs(at(200));
    assert.equal(progress.currentAt, 2);
  });
});
