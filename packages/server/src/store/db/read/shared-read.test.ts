import assert from "node:assert/strict";
import { test } from "node:test";
import { SharedRead } from "./shared-read.ts";

test("callers that arrive during a read share the next one", async () => {
  let version = 0;
  let reads = 0;
  const release: (() => void)[] = [];
  const shared = new SharedRead(async () => {
    reads += 1;
    const seen = version;
    await new Promise<void>((resolve) => release.push(resolve));
    return seen;
  });
  const first = shared.read();
  version = 1;
  const second = shared.read();
  const third = shared.read();
  release.shift()?.();
  assert.equal(await first, 0);
  release.shift()?.();
  assert.deepEqual(await Promise.all([second, third]), [1, 1]);
  assert.equal(reads, 2);
});

test("a failed read fails only for the callers that shared it", async () => {
  let fails = true;
  const shared = new SharedRead(async () => {
    if (fails) throw new Error("down");
    return "up";
  });
  await assert.rejects(Promise.all([shared.read(), shared.read()]), /down/);
  fails = false;
  assert.equal(await shared.read(), "up");
});
