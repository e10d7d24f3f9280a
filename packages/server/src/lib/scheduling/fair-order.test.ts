import assert from "node:assert/strict";
import { test } from "node:test";
import { FairOrder } from "./fair-order.ts";
import { QueueFullError } from "./fair-queue.ts";

/** A queue whose jobs are named by their owners: `a.x1` is of the caller x of the organization a. */
function orderOf(limits: { maxQueuedPerKey?: number; maxQueued?: number } = {}) {
  const order = new FairOrder({ maxQueuedPerKey: 100, maxQueued: 100, ...limits });
  const served: string[] = [];
  const dropped: string[] = [];
  const add = (...names: string[]) => {
    for (const name of names) {
      const reject = () => dropped.push(name);
      order.add(name.replace(/\d+$/, "").split("."), { start: () => served.push(name), reject });
    }
  };
  const serve = (costs: Record<string, number>, count: number) => {
    for (let at = 0; at < count; at++) {
      const { owner, job } = order.take() ?? {};
      if (owner === undefined) return;
      job?.start();
      order.charge(owner, costs[owner.join(".")] ?? 1);
    }
  };
  return { order, served, dropped, add, serve };
}

test("an owner with one job comes after one job of an owner with many", () => {
  const { served, add, serve } = orderOf();
  add("a1", "a2", "a3", "a4");
  serve({}, 1);
  add("b1");
  serve({}, 4);
  assert.deepEqual(served, ["a1", "b1", "a2", "a3", "a4"]);
});

test("owners get equal time, not equal numbers of jobs", () => {
  const { served, add, serve } = orderOf();
  add(...Array.from({ length: 20 }, (_, at) => `dear${at}`));
  add(...Array.from({ length: 100 - 20 }, (_, at) => `cheap${at}`));
  serve({ dear: 8, cheap: 1 }, 45);
  assert.equal(served.filter((name) => name.startsWith("dear")).length, 5);
});

test("the callers of an organization share its part", () => {
  const { served, add, serve } = orderOf();
  for (let at = 0; at < 10; at++) add(...["u", "v", "w", "x"].map((caller) => `a.${caller}${at}`));
  for (let at = 0; at < 10; at++) add(`b.u${at}`);
  serve({}, 16);
  assert.equal(served.filter((name) => name.startsWith("b")).length, 8);
  assert.equal(served.filter((name) => name.startsWith("a.w")).length, 2);
});

test("an owner that was idle has no credit, and one that was charged meanwhile waits", () => {
  const { order, served, add, serve } = orderOf();
  add(...Array.from({ length: 30 }, (_, at) => `a${at}`));
  serve({}, 20);
  order.charge(["c"], 3);
  add("b1", "b2", "b3", "c1");
  serve({}, 8);
  assert.deepEqual(served.slice(20), ["b1", "a20", "b2", "a21", "b3", "a22", "c1", "a23"]);
});

test("an owner with enough jobs gets no more, and others do", () => {
  const { order, add } = orderOf({ maxQueuedPerKey: 2 });
  add("a.x1", "a.y1");
  assert.throws(() => add("a.z1"), new QueueFullError("key"));
  add("b1");
  order.add(["a"], { start() {} });
  assert.equal(order.waiting, 4, "work that has begun is not bounded");
});

test("in a full queue, the newest job of the largest owner makes room for smaller ones", () => {
  const { order, dropped, add } = orderOf({ maxQueued: 4 });
  add("a.x1", "a.y1", "a.y2", "a.x2");
  add("b1", "c1");
  assert.deepEqual(dropped, ["a.x2", "a.y2"]);
  assert.throws(() => add("a.z1"), new QueueFullError("queue"));
  assert.throws(() => add("b2"), new QueueFullError("queue"));
  assert.equal(order.waiting, 4);
});

test("idle owners are forgotten beyond a number", () => {
  const { order, served, add, serve } = orderOf();
  order.charge(["a"], 100);
  add("a1", "b1");
  serve({}, 2);
  order.charge(["a"], 100);
  for (let at = 0; at < 1_000; at++) order.charge([`owner-${at}`], 1);
  add("a2", "b2");
  serve({}, 2);
  assert.deepEqual(served, ["b1", "a1", "a2", "b2"]);
});
