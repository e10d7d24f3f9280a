import assert from "node:assert/strict";
import { test } from "node:test";
import { KeyedSemaphore, Semaphore } from "./semaphore.ts";

const rejection = () => new Error("full");

/** Work that ends on demand. */
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
  const semaphore = new KeyedSemaphore({ perKey: 2, maxQueuedPerKey: 2, rejection });
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
  const semaphore = new KeyedSemaphore({ perKey: 1, maxQueuedPerKey: 1, rejection });
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
  const semaphore = new KeyedSemaphore({ perKey: 1, maxQueuedPerKey: 0, rejection });
  const failing = () => semaphore.run("a", async () => Promise.reject(new Error("broken")));
  await assert.rejects(failing(), /broken/);
  await assert.rejects(failing(), /broken/);
});

test("a bound over all keys holds, and the first waiter whose key has a permit is next", async () => {
  const semaphore = new KeyedSemaphore({ perKey: 1, total: 2, maxQueued: 3, rejection });
  await semaphore.acquire("a");
  await semaphore.acquire("b");
  const order: string[] = [];
  const waiting = ["a", "c", "d"].map(async (key) => {
    await semaphore.acquire(key);
    order.push(key);
  });
  await assert.rejects(semaphore.acquire("e"), /full/);
  semaphore.release("b");
  await settled();
  assert.deepEqual(order, ["c"], "all permits of a are taken");
  semaphore.release("a");
  semaphore.release("c");
  await Promise.all(waiting);
  assert.deepEqual(order, ["c", "a", "d"]);
});

test("work that waits too long is rejected and leaves the queue", async () => {
  const semaphore = new KeyedSemaphore({ perKey: 1, maxQueued: 1, maxWaitMs: 5, rejection });
  await semaphore.acquire("a");
  await assert.rejects(semaphore.acquire("a"), /full/);
  await assert.rejects(semaphore.acquire("a"), /full/);
  const next = semaphore.acquire("a");
  semaphore.release("a");
  await next;
});

test("no more than the permits run at a time, all of them in the end, failures included", async () => {
  const semaphore = new Semaphore(3);
  let running = 0;
  let peak = 0;
  const work = async (at: number) => {
    peak = Math.max(peak, ++running);
    await settled();
    running--;
    if (at % 5 === 0) throw new Error("five");
    return at;
  };
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, at) => semaphore.run(() => work(at))),
  );
  assert.equal(peak, 3);
  assert.equal(running, 0);
  assert.equal(results.filter(({ status }) => status === "rejected").length, 4);
});
