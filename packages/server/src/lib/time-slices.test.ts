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

test("one slice starts in each tick, however many tasks there are", async () => {
  const slices = new TimeSlices();
  let running = 0;
  let mostInOneTick = 0;
  let done = false;
  const watch = async () => {
    while (!done) {
      running = 0;
      await tick();
      mostInOneTick = Math.max(mostInOneTick, running);
    }
  };
  const watched = watch();
  const work = async (owner: string) => {
    const task = slices.task(owner);
    for (let step = 0; step < 5; step++) {
      await task.yield();
      running += 1;
    }
  };
  await Promise.all(Array.from({ length: 20 }, (_, at) => work(`owner-${at}`)));
  done = true;
  await watched;
  assert.equal(mostInOneTick, 1);
});

test("a task that is canceled ends at its next pause", async () => {
  const controller = new AbortController();
  const task = new TimeSlices().task("a", controller.signal);
  await task.yield();
  controller.abort(new Error("gone"));
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
