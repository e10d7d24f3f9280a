import assert from "node:assert/strict";
import { test } from "node:test";
import { ReplicaMutex } from "./replica-mutex.ts";

test("a replica locks exclusively after a conflict, and longer if it returns", () => {
  let now = 1_000;
  const mutex = new ReplicaMutex(() => now);
  const msUntilShared = () => {
    const begun = now;
    while (mutex.next === "exclusive") now += 100;
    return now - begun;
  };
  assert.equal(mutex.next, "shared");
  mutex.conflicted();
  assert.equal(msUntilShared(), 5_000);
  for (const ms of [10_000, 20_000, 40_000, 60_000, 60_000]) {
    mutex.conflicted();
    assert.equal(msUntilShared(), ms);
  }
  now += 60_000;
  mutex.conflicted();
  assert.equal(msUntilShared(), 5_000, "after a time without conflicts");
});
