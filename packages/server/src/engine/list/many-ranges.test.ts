import assert from "node:assert/strict";
import { test } from "node:test";
import { WharfError } from "../../lib/errors.ts";
import { TimeSlices } from "../../lib/scheduling/time-slices.ts";
import type { Call } from "../../rpc/call.ts";
import { ListScheduler } from "./many-ranges.ts";

const tick = () => new Promise((resolve) => setImmediate(resolve));

function callOf(uid: string): { -readonly [K in keyof Call]: Call[K] } {
  return { caller: { uid: uid.repeat(40) }, remoteAddress: uid } as unknown as Call;
}

async function ticks(count: number): Promise<void> {
  for (let at = 0; at < count; at++) await tick();
}

test("lists of one caller over many ranges are limited in concurrency and queue length", async () => {
  const lists = new ListScheduler(100, new TimeSlices());
  let running = 0;
  let most = 0;
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const list = async () => {
    running += 1;
    most = Math.max(most, running);
    await gate;
    running -= 1;
  };
  const all = Array.from({ length: 78 }, () => lists.run(callOf("a"), 5_000, list));
  const settled = Promise.allSettled(all);
  await ticks(5);
  assert.equal(running, 2);
  await lists.run(callOf("a"), 3, async () => {});
  let other = false;
  const others = lists.run(callOf("b"), 5_000, async () => {
    other = true;
  });
  await others;
  assert.ok(other, "another caller does not wait for them");
  open();
  const rejected = (await settled).filter((one) => one.status === "rejected");
  assert.deepEqual([most, rejected.length], [2, 12]);
  for (const { reason } of rejected) {
    assert.equal(reason.code, "RESOURCE_EXHAUSTED");
    assert.match(reason.message, /narrow them with uidp\.descendants_of/);
  }
});

test("a list over many ranges yields before it starts, and ends when its client disconnects", async () => {
  const lists = new ListScheduler(100, new TimeSlices());
  const call = callOf("a");
  let steps = 0;
  const list = lists.run(call, 5_000, async (task) => {
    for (;;) {
      steps += 1;
      await task.yield();
    }
  });
  const ended = assert.rejects(list, /gone/);
  assert.equal(steps, 0);
  await ticks(5);
  assert.ok(steps > 0);
  call.abandoned = new WharfError("CANCELLED", "gone");
  await ended;
});
