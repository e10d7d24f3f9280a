import assert from "node:assert/strict";
import { test } from "node:test";
import { KeyedSemaphore } from "./keyed-semaphore.ts";

const full = () => new Error("full");

/** Work that ends when it is told to. */
function work() {
  let end = () => {};
  let isRunning = false;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const run = async () => {
    isRunning = true;
    await ended;
  };
  return { run, end: () => end(), isRunning: () => isRunning };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a key runs as much as it may, the rest waits in order, and other keys do not wait", async () => {
  const semaphore = new KeyedSemaphore(2, 2, full);
  const works = [work(), work(), work(), work()];
  const runs = works.map((one) => semaphore.run("a", one.run));
  const other = work();
  const otherRun = semaphore.run("b", other.run);
  await settled();
  const running = () => works.map((one) => one.isRunning());
  assert.deepEqual(running(), [true, true, false, false]);
  assert.ok(other.isRunning());
  works[1]?.end();
  await settled();
  assert.deepEqual(running(), [true, true, true, false]);
  for (const one of [...works, other]) one.end();
  await Promise.all([...runs, otherRun]);
  assert.deepEqual(running(), [true, true, true, true]);
});

test("beyond its queue a key is rejected; once there is room it is accepted again", async () => {
  const semaphore = new KeyedSemaphore(1, 1, full);
  const works = [work(), work()];
  const runs = works.map((one) => semaphore.run("a", one.run));
  await assert.rejects(
    semaphore.run("a", async () => {}),
    /full/,
  );
  for (const one of works) one.end();
  await Promise.all(runs);
  assert.equal(await semaphore.run("a", async () => 5), 5);
});

test("work that fails gives its permit back", async () => {
  const semaphore = new KeyedSemaphore(1, 0, full);
  const failing = () => semaphore.run("a", async () => Promise.reject(new Error("broken")));
  await assert.rejects(failing(), /broken/);
  await assert.rejects(failing(), /broken/);
});
