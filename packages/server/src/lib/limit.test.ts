import assert from "node:assert/strict";
import { test } from "node:test";
import { limitOf } from "./limit.ts";

test("no more than so many run at a time, all of them in the end, failures included", async () => {
  const limit = limitOf(3);
  let running = 0;
  let most = 0;
  const work = async (at: number) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    if (at % 5 === 0) throw new Error("five");
    return at;
  };
  const ends = await Promise.allSettled(
    Array.from({ length: 20 }, (_, at) => limit(() => work(at))),
  );
  assert.equal(most, 3);
  assert.equal(running, 0);
  assert.equal(ends.filter(({ status }) => status === "rejected").length, 4);
});
