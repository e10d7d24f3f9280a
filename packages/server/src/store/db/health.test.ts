import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTick } from "node:timers/promises";
import type { FailureCause } from "./failure.ts";
import { StoreHealth } from "./health.ts";

/** A store whose reads and writes settle when the test says so, and time that passes when it says so. */
function watched(t: TestContext) {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const store = {
    read: (): Promise<unknown> => Promise.resolve(),
    write: () => Promise.resolve(),
    writes: 0,
  };
  const health = new StoreHealth({
    read: () => store.read(),
    write: () => {
      store.writes++;
      return store.write();
    },
    failureOf: (error) => (error instanceof Error ? undefined : (error as FailureCause)),
  });
  const seen: string[] = [];
  health.observe({
    failed: ({ operation, cause }) => seen.push(`${operation} failed: ${cause}`),
    recovered: ({ operation, cause }) => seen.push(`${operation} recovered: ${cause}`),
  });
  health.start();
  t.after(() => health.stop());
  const pass = async (intervals: number) => {
    for (let at = 0; at < intervals; at++) {
      t.mock.timers.tick(1_000);
      await nextTick();
    }
  };
  return { store, health, seen, pass, failure: () => health.failure };
}

test("a check that takes three intervals is a failure, until it succeeds", async (t) => {
  const { store, failure, seen, pass } = watched(t);
  const { promise, resolve } = Promise.withResolvers<void>();
  store.read = () => promise;
  await pass(3);
  assert.equal(failure(), undefined);
  await pass(1);
  assert.equal(failure()?.cause, "timeout");
  resolve();
  await pass(1);
  assert.equal(failure(), undefined);
  assert.deepEqual(seen, ["read failed: timeout", "read recovered: timeout"]);
  assert.equal(store.writes, 1, "a failed store is written before it has recovered");
});

test("a check that never ends is abandoned for another, and its result is ignored", async (t) => {
  const { store, failure, pass } = watched(t);
  const first = Promise.withResolvers<void>();
  store.read = () => first.promise;
  await pass(4);
  store.read = () => Promise.reject("unreachable");
  await pass(8);
  assert.equal(failure()?.cause, "unreachable");
  first.resolve();
  await nextTick();
  assert.equal(failure()?.cause, "unreachable");
  store.read = () => Promise.resolve();
  await pass(1);
  assert.equal(failure(), undefined);
});

test("writes without progress for eleven intervals are a failure, until one is committed", async (t) => {
  const { store, health, failure, seen, pass } = watched(t);
  const { promise, resolve } = Promise.withResolvers<void>();
  // Checks wait behind it.
  store.write = () => promise;
  health.writing(promise);
  await pass(10);
  assert.equal(failure(), undefined);
  await pass(1);
  assert.equal(failure()?.operation, "write");
  resolve();
  health.committed();
  assert.equal(failure(), undefined);
  assert.deepEqual(seen, ["write failed: timeout", "write recovered: timeout"]);
});

test("a failed read is reported, and a failure only if a check fails, too", async (t) => {
  const { store, health, failure, seen, pass } = watched(t);
  health.failed({ operation: "read", cause: "io_error", error: undefined });
  await nextTick();
  assert.equal(failure(), undefined);
  await pass(1);
  store.read = () => Promise.reject("io_error");
  health.failed({ operation: "read", cause: "io_error", error: undefined });
  await nextTick();
  assert.equal(failure()?.cause, "io_error");
  assert.deepEqual(seen, ["read failed: io_error", "read failed: io_error"]);
});

test("a write that fails unexpectedly is a failure only if a check cannot write either", async (t) => {
  const { store, health, failure, seen, pass } = watched(t);
  for (let failed = 0; failed < 3; failed++) {
    health.failed({ operation: "write", cause: "other", error: undefined });
    await nextTick();
    assert.deepEqual([failure(), store.writes], [undefined, 1], "one check in an interval");
  }
  await pass(1);
  store.write = () => Promise.reject(new Error("permission denied"));
  health.failed({ operation: "write", cause: "other", error: undefined });
  await nextTick();
  assert.equal(failure()?.operation, "write");
  assert.equal(seen.length, 5, "the failed check is reported as well");
});

test("a full disk is over when a check has written, not with the next commit", async (t) => {
  const { health, failure, pass } = watched(t);
  health.failed({ operation: "write", cause: "disk_full", error: undefined });
  health.committed();
  assert.equal(failure()?.cause, "disk_full");
  await pass(1);
  assert.equal(failure(), undefined);
});

test("an idle store is written every ten intervals", async (t) => {
  const { store, health, pass } = watched(t);
  await pass(9);
  assert.equal(store.writes, 0);
  health.committed();
  await pass(9);
  assert.equal(store.writes, 0);
  await pass(1);
  assert.equal(store.writes, 1);
});
