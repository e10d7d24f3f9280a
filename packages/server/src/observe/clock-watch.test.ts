import assert from "node:assert/strict";
import { test } from "node:test";
import { ClockWatch } from "./clock-watch.ts";

/** A machine and a database whose clocks a test sets; time itself passes only when it says so. */
class Clocks {
  readonly lines: unknown[] = [];
  readonly faults: string[] = [];
  wall = 1_800_000_000_000;
  monotonic = 5_000;
  database: number | undefined = this.wall;
  /** Round-trip time of the database. */
  tripMs = 0;
  readonly watch = new ClockWatch({
    wallClock: () => this.wall,
    monotonicClock: () => this.monotonic,
    databaseTime: async () => {
      this.pass(this.tripMs / 2);
      const time = this.database;
      this.pass(this.tripMs / 2);
      return time;
    },
    metrics: { count: (_name, { fault = "" }) => this.faults.push(fault) },
    log: {
      warn: ({ seconds }) => this.lines.push(["warn", seconds]),
      info: ({ seconds }) => this.lines.push(["info", seconds]),
    },
  });

  pass(ms: number): void {
    this.wall += ms;
    this.monotonic += ms;
    if (this.database !== undefined) this.database += ms;
  }
}

test("a clock that was set is reported once, in either direction", async () => {
  const clocks = new Clocks();
  clocks.database = undefined;
  clocks.pass(60_000);
  await clocks.watch.check();
  clocks.wall += 1_500;
  await clocks.watch.check();
  assert.deepEqual(clocks.lines, []);
  clocks.wall += 3_600_000;
  await clocks.watch.check();
  await clocks.watch.check();
  clocks.wall -= 7_200_000;
  await clocks.watch.check();
  assert.deepEqual(clocks.lines, [
    ["warn", 3_600],
    ["warn", -7_200],
  ]);
  assert.deepEqual(clocks.faults, ["set_forward", "set_back"]);
});

test("a database with another time is reported until it agrees, and counted at each check", async () => {
  const clocks = new Clocks();
  clocks.database = clocks.wall + 5_000;
  for (let check = 0; check < 3; check++) await clocks.watch.check();
  clocks.database = clocks.wall - 5_000;
  await clocks.watch.check();
  clocks.database = clocks.wall;
  for (let check = 0; check < 2; check++) await clocks.watch.check();
  assert.deepEqual(clocks.lines, [
    ["warn", 5],
    ["info", 0],
  ]);
  const faults = ["database_ahead", "database_ahead", "database_ahead", "database_behind"];
  assert.deepEqual(clocks.faults, faults);
});

test("a database that is slow to answer does not differ", async () => {
  const clocks = new Clocks();
  clocks.tripMs = 20_000;
  await clocks.watch.check();
  clocks.database = clocks.wall + 4_000;
  await clocks.watch.check();
  assert.deepEqual([clocks.lines, clocks.faults], [[], []]);
});

test("a database that fails is no fault of clocks", async () => {
  const watch = new ClockWatch({
    databaseTime: () => Promise.reject(new Error("unreachable")),
    metrics: { count: () => assert.fail() },
    log: { warn: () => assert.fail(), info: () => assert.fail() },
  });
  await watch.check();
});
