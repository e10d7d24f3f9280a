import assert from "node:assert/strict";
import { test } from "node:test";
import { FairQueue, type FairQueueLimits, QueueFullError } from "./fair-queue.ts";

const LIMITS = { concurrency: 1, maxQueuedPerKey: 10, maxQueued: 100 };
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A queue whose jobs end when the test says so, and the order in which they began. */
function queueOf(limits: Partial<FairQueueLimits> = {}) {
  let now = 0;
  const queue = new FairQueue({ ...LIMITS, ...limits }, () => now);
  const sleep = (ms: number) => {
    now += ms;
  };
  const started: string[] = [];
  const running: (() => void)[] = [];
  const add = (name: string) => {
    const [key = ""] = name;
    const job = queue.run(
      key,
      () =>
        new Promise<string>((resolve) => {
          started.push(name);
          running.push(() => resolve(name));
        }),
    );
    return job.catch((error) => {
      if (error instanceof QueueFullError) return "rejected";
      throw error;
    });
  };
  const endOne = async () => {
    running.shift()?.();
    await settled();
  };
  const endAll = async () => {
    while (running.length > 0) await endOne();
  };
  return { queue, started, add, endOne, endAll, sleep };
}

test("no more than the concurrency run at a time, in their order", async () => {
  const { started, add, endOne, endAll } = queueOf({ concurrency: 2 });
  const jobs = ["a1", "a2", "a3", "a4"].map(add);
  await settled();
  assert.deepEqual(started, ["a1", "a2"]);
  await endOne();
  assert.deepEqual(started, ["a1", "a2", "a3"]);
  await endAll();
  assert.deepEqual(await Promise.all(jobs), ["a1", "a2", "a3", "a4"]);
});

test("keys alternate, and a new key comes first", async () => {
  const { started, add, endAll } = queueOf();
  for (const name of ["a1", "a2", "a3", "a4", "b1", "b2", "b3"]) add(name);
  add("c1");
  await settled();
  await endAll();
  assert.deepEqual(started, ["a1", "b1", "c1", "a2", "b2", "a3", "b3", "a4"]);
});

test("a key with few jobs lately comes before those with many, for a minute", async () => {
  const { started, add, endAll, sleep } = queueOf();
  for (const name of ["a1", "b1", "a2", "b2"]) add(name);
  await settled();
  await endAll();
  for (const name of ["a3", "b3", "a4", "c1", "c2"]) add(name);
  await settled();
  await endAll();
  assert.deepEqual(started.slice(4), ["a3", "c1", "c2", "b3", "a4"]);
  sleep(60_000);
  for (const name of ["a5", "a6", "c3"]) add(name);
  await settled();
  await endAll();
  assert.deepEqual(started.slice(9), ["a5", "c3", "a6"]);
});

test("a job that is forgiven does not count", async () => {
  const { queue, started, add, endOne, endAll } = queueOf();
  for (const name of ["a1", "a2"]) add(name);
  await settled();
  await endAll();
  for (let n = 0; n < 3; n++) queue.forgive("a");
  add("b1");
  for (const name of ["b2", "a3", "a4"]) add(name);
  await endOne();
  assert.deepEqual(started, ["a1", "a2", "b1", "a3"]);
  await endAll();
  assert.deepEqual(started, ["a1", "a2", "b1", "a3", "b2", "a4"]);
});

test("the newest job of a key that has enough waiting is rejected, others are not", async () => {
  const { started, add, endAll } = queueOf({ maxQueuedPerKey: 2 });
  const jobs = ["a1", "a2", "a3", "a4", "b1"].map(add);
  await settled();
  await endAll();
  assert.deepEqual(await Promise.all(jobs), ["a1", "a2", "a3", "rejected", "b1"]);
  assert.deepEqual(started, ["a1", "b1", "a2", "a3"]);
});

test("in a full queue, the key with the most jobs makes room for others", async () => {
  const { add, endAll } = queueOf({ maxQueued: 4 });
  const names = ["a0", "a1", "a2", "a3", "b1", "c1", "d1", "e1", "f1"];
  const jobs = names.map(add);
  await settled();
  await endAll();
  const outcome = ["a0", "a1", "rejected", "rejected", "b1", "c1", "d1", "rejected", "rejected"];
  assert.deepEqual(await Promise.all(jobs), outcome);
});

test("a job that fails frees its permit", async () => {
  const { queue } = queueOf({ maxQueued: 0 });
  const broken = () => Promise.reject(new Error("broken"));
  for (let n = 0; n < 3; n++) await assert.rejects(queue.run("a", broken), /broken/);
  assert.equal(await queue.run("a", async () => "done"), "done");
});

test("a key that runs as many jobs as it may waits, and others start", async () => {
  const { queue, started, add, endOne, endAll } = queueOf({ concurrency: 3, concurrencyPerKey: 2 });
  const jobs = ["a1", "a2", "a3", "a4", "b1"].map(add);
  await settled();
  assert.deepEqual(started, ["a1", "a2", "b1"]);
  assert.deepEqual(queue.size, { running: 3, waiting: 2 });
  await endOne();
  assert.deepEqual(started, ["a1", "a2", "b1", "a3"]);
  await endAll();
  assert.deepEqual(await Promise.all(jobs), ["a1", "a2", "a3", "a4", "b1"]);
  assert.deepEqual(queue.size, { running: 0, waiting: 0 });
});

test("a job whose signal is aborted leaves the queue", async () => {
  const { queue, started, add, endAll } = queueOf({ maxQueuedPerKey: 1 });
  add("a1");
  const gone = new AbortController();
  const waiting = queue.run("a", async () => started.push("gone"), gone.signal);
  await assert.rejects(
    queue.run("a", async () => {}),
    { full: "key" },
  );
  gone.abort(new Error("the client left"));
  await assert.rejects(waiting, /the client left/);
  const next = add("a2");
  await assert.rejects(
    queue.run("b", async () => {}, gone.signal),
    /the client left/,
  );
  await settled();
  await endAll();
  assert.equal(await next, "a2");
  assert.deepEqual(started, ["a1", "a2"]);
});
