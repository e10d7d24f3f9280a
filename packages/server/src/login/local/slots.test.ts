import assert from "node:assert/strict";
import { test } from "node:test";
import { Slots } from "./slots.ts";

/** Work that ends when it is told to. */
function works(count: number) {
  const ends: (() => void)[] = [];
  const started: number[] = [];
  const work = (at: number) => () =>
    new Promise<number>((resolve) => {
      started.push(at);
      ends[at] = () => resolve(at);
    });
  return {
    started,
    end: (at: number) => ends[at]?.(),
    all: Array.from({ length: count }, (_, at) => work(at)),
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("runs only so many at a time, in the order in which they came", async () => {
  const slots = new Slots(2, 10);
  const { started, end, all } = works(4);
  const running = all.map((work) => slots.run(work));
  await settled();
  assert.deepEqual(started, [0, 1]);
  end(1);
  await settled();
  assert.deepEqual(started, [0, 1, 2]);
  for (const at of [0, 2]) end(at);
  await settled();
  end(3);
  assert.deepEqual(await Promise.all(running), [0, 1, 2, 3]);
});

test("turns away who would wait too long, and goes on after failures", async () => {
  const slots = new Slots(1, 1);
  const { end, all } = works(3);
  const [first, second, third] = all.map((work) => slots.run(work));
  await assert.rejects(third as Promise<number>, { code: "RESOURCE_EXHAUSTED" });
  end(0);
  assert.equal(await first, 0);
  await settled();
  end(1);
  assert.equal(await second, 1);
  await assert.rejects(
    slots.run(() => Promise.reject(new Error("broken"))),
    /broken/,
  );
  assert.equal(await slots.run(async () => "still works"), "still works");
});
