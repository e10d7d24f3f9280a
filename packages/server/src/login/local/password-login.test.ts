import assert from "node:assert/strict";
import { test } from "node:test";
import { lockAfterFailure } from "./password-login.ts";

test("after four failures, each further one doubles the lock, up to 15 minutes", () => {
  const locks: number[] = [];
  let account = { identity: "", username: "", passwordHash: "", failures: 0, lockedUntil: 0 };
  for (let at = 0; at < 12; at++) {
    account = { ...account, ...lockAfterFailure(account, 1_000_000) };
    locks.push(account.lockedUntil === 0 ? 0 : (account.lockedUntil - 1_000_000) / 1000);
  }
  assert.deepEqual(locks, [0, 0, 0, 0, 30, 60, 120, 240, 480, 900, 900, 900]);
  assert.equal(account.failures, 12);
});

test("the lock stays at its maximum after thousands of failures", () => {
  const account = { identity: "", username: "", passwordHash: "", failures: 5_000, lockedUntil: 0 };
  assert.equal(lockAfterFailure(account, 0).lockedUntil, 900_000);
});
