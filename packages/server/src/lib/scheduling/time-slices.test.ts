import assert from "node:assert/strict";
import { test } from "node:test";
import { QueueFullError } from "./fair-queue.ts";
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
  const task = new TimeSlices(2, now).task(["a"]);
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
    const task = slices.task([owner]);
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

test("requests begin at once while a tick has time, and in fair order after it", async () => {
  const { now, pass } = clock();
  const slices = new TimeSlices(2, now);
  const begun: string[] = [];
  const begin = async (name: string) => {
    const [owner = ""] = name;
    await slices.begin(() => [owner]);
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
  const task = new TimeSlices().task(["a"], request);
  await task.yield();
  request.abandoned = new Error("gone");
  await assert.rejects(task.yield(), /gone/);
});

test("owners get equal time, regardless of the number of their tasks", async () => {
  const { now, pass } = clock();
  const slices = new TimeSlices(2, now);
  const order: string[] = [];
  const work = async (owner: string, ms: number) => {
    const task = slices.task([owner]);
    for (let step = 0; step < 6; step++) {
      await task.yield();
      order.push(owner);
      pass(ms);
    }
  };
  const all = [work("one", 1), ...Array.from({ length: 10 }, () => work("many", 2))];
  await Promise.all(all);
  assert.equal(order.slice(0, 9).filter((owner) => owner === "one").length, 6);
  assert.equal(order.length, 66);
});

test("time that is charged counts", async () => {
  const slices = new TimeSlices();
  const order: string[] = [];
  const work = async (owner: string) => {
    await slices.task([owner]).yield();
    order.push(owner);
  };
  slices.charge(["a"], 10);
  await Promise.all([work("a"), work("b")]);
  assert.deepEqual(order, ["b", "a"]);
});

test("a request that is abandoned while it waits is rejected, and one beyond the bounds as well", async () => {
  const { now, pass } = clock();
  const slices = new TimeSlices(2, now, { maxQueuedPerKey: 2, maxQueued: 3 });
  assert.equal(
    slices.begin(() => ["a"]),
    undefined,
  );
  pass(2);
  const request: { abandoned?: Error } = {};
  const gone = assert.rejects(
    async () => slices.begin(() => ["a"], request),
    new Error("the client left"),
  );
  request.abandoned = new Error("the client left");
  const waiting = slices.begin(() => ["a"]);
  await assert.rejects(async () => slices.begin(() => ["a"]), new QueueFullError("key"));
  const other = slices.begin(() => ["b"]);
  assert.equal(slices.waiting, 3);
  await Promise.all([gone, waiting, other]);
  assert.equal(slices.waiting, 0);
});
