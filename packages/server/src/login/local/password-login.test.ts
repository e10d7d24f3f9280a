import assert from "node:assert/strict";
import { test } from "node:test";
import { lockAfterFailure } from "./password-login.ts";

test("slips are free, then each failure locks for twice as long, up to a quarter of an hour", () => {
  const locks: number[] = [];
  let account = { identity: "", username: "", passwordHash: "", failures: 0, lockedUntil: 0 };
  for (let at = 0; at < 12; at++) {
    account = { ...account, ...lockAfterFailure(account, 1_000_000) };
    locks.push(account.lockedUntil === 0 ? 0 : (account.lockedUntil - 1_000_000) / 1000);
  }
  assert.deepEqual(locks, [0, 0, 0, 0, 30, 60, 120, 240, 480, 900, 900, 900]);
  assert.equal(account.failures, 12);
});

test("after years of failures the lock is still a number", () => {
  const account = { identity: "", username: "", passwordHash: "", failures: 5_000, lockedUntil: 0 };
  assert.equal(lockAfterFailure(account, 0).lockedUntil, 900_000);
});
