import assert from "node:assert/strict";
import { test } from "node:test";
import { TimeSlices } from "./time-slices.ts";

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Time that passes only where work says so. */
function clock() {
  let now = 0;
  return {
    now: () => now,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test("work within its slice continues at once, and waits for the next slice after it", async () => {
  const { now, pass } = clock();
  const task = new TimeSlices(2, now).task("a");
  assert.equal(task.pause(), undefined);
  pass(1.9);
  assert.equal(task.pause(), undefined);
  pass(0.1);
  const waiting = task.pause();
  assert.ok(waiting instanceof Promise);
  await waiting;
  assert.equal(task.pause(), undefined, "a new slice has begun");
});

test("all slices of a tick share the time of one, however many tasks there are", async () => {
  const { now, pass } = clock();
  const slices = new TimeSlices(2, now);
  const inTick: number[] = [];
  const work = async (owner: string, ms: number) => {
    const task = slices.task(owner);
    for (let step = 0; step < 3; step++) {
      await task.yield();
      pass(ms);
      inTick[inTick.length - 1] = (inTick.at(-1) ?? 0) + ms;
    }
  };
  const watchUntil = async (done: Promise<unknown>) => {
    let isDone = false;
    done.then(() => {
      isDone = true;
    });
    for (; !isDone; await tick()) inTick.push(0);
    return inTick.splice(0).filter((ms) => ms > 0);
  };
  const long = Array.from({ length: 10 }, (_, at) => work(`owner-${at}`, 2));
  assert.deepEqual(await watchUntil(Promise.all(long)), Array(30).fill(2));
  const short = Array.from({ length: 10 }, (_, at) => work(`owner-${at}`, 0.5));
  const times = await watchUntil(Promise.all(short));
  assert.ok(Math.max(...times) <= 2, `${times}`);
  assert.ok(times.length < 30, `${times}`);
});

test("short tasks begin at once while a tick has time, and in turn after it", async () => {
  const { now, pass } = clock();
  const slices = new TimeSlices(2, now);
  const begun: string[] = [];
  const begin = async (name: string) => {
    const [owner = ""] = name;
    await slices.begin(owner);
    begun.push(name);
    pass(1.5);
  };
  await tick();
  const all = ["a1", "a2"].map(begin);
  await Promise.resolve();
  assert.deepEqual(begun, ["a1", "a2"]);
  // No time is left, and those that come later do not overtake.
  all.push(...["a3", "a4", "b1"].map(begin));
  await Promise.resolve();
  assert.deepEqual(begun, ["a1", "a2"]);
  await Promise.all(all);
  assert.deepEqual(begun.slice(2), ["a3", "b1", "a4"]);
});

test("a task that is abandoned ends at its next pause", async () => {
  const request: { abandoned?: Error } = {};
  const task = new TimeSlices().task("a", request);
  await task.yield();
  request.abandoned = new Error("gone");
  await assert.rejects(task.yield(), /gone/);
});

test("owners are served round robin, regardless of the number of their tasks", async () => {
  const slices = new TimeSlices();
  const order: string[] = [];
  const work = async (owner: string) => {
    const task = slices.task(owner);
    for (let step = 0; step < 4; step++) {
      await task.yield();
      order.push(owner);
    }
  };
  await Promise.all([...Array.from({ length: 10 }, () => work("many")), work("one")]);
  assert.deepEqual(order.slice(0, 8), ["many", "one", "many", "one", "many", "one", "many", "one"]);
  assert.equal(order.length, 44);
});
