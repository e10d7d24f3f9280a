import assert from "node:assert/strict";
import { test } from "node:test";
import { BodyBudget, BytePool, SMALL_BODY_BYTES } from "./body-budget.ts";

const FULL = { code: "UNAVAILABLE", httpStatus: 503 };
const MIB = 1024 * 1024;

/** Takes as much as a network can get. */
function fill(pool: BytePool, network: string): number {
  let bytes = 0;
  try {
    for (;;) {
      pool.hold(network, 1);
      bytes += 1;
    }
  } catch (error) {
    assert.ok(error instanceof Error);
    return bytes;
  }
}

test("one network gets a quarter, and many networks leave room for another", () => {
  const pool = new BytePool(10_000);
  assert.equal(fill(pool, "first"), 2_500);
  assert.equal(fill(pool, "second"), 1_875);
  for (let n = 0; n < 10; n++) assert.ok(fill(pool, `network ${n}`) > 0, `network ${n}`);
  assert.ok(pool.bytes < 10_000);
  assert.throws(() => pool.hold("first", 1), FULL);
  pool.release("first", 2_500);
  assert.ok(fill(pool, "another") > 0);
});

test("released bytes are available again", () => {
  const pool = new BytePool(400);
  for (let n = 0; n < 10; n++) {
    pool.hold("a", 100);
    pool.release("a", 100);
  }
  assert.equal(pool.bytes, 0);
});

test("an announced body is charged once, before it arrives", () => {
  const budget = new BodyBudget(32 * MIB);
  const charge = budget.open("a");
  charge.reserve(4 * MIB);
  assert.equal(budget.large.bytes, 4 * MIB);
  charge.receive(3 * MIB);
  charge.receive(1 * MIB);
  assert.equal(budget.large.bytes, 4 * MIB);
  assert.throws(() => budget.open("a").reserve(4 * MIB), FULL);
  // Decompressed bytes come on top.
  charge.receive(1 * MIB);
  assert.equal(budget.large.bytes, 5 * MIB);
  charge.release();
  assert.equal(budget.large.bytes, 0);
});

test("small bodies are charged as they arrive, and large ones do not crowd them out", () => {
  const budget = new BodyBudget(32 * MIB);
  budget.open("a").reserve(7 * MIB);
  assert.throws(() => budget.open("a").reserve(SMALL_BODY_BYTES + 1), FULL);
  const small = budget.open("a");
  small.reserve(SMALL_BODY_BYTES);
  assert.equal(budget.small.bytes, 0);
  small.receive(SMALL_BODY_BYTES);
  assert.equal(budget.small.bytes, SMALL_BODY_BYTES);
  assert.throws(() => small.receive(1), FULL);
  small.release();
  assert.equal(budget.small.bytes, 0);
});

test("a growing body moves from one part of the budget to the other", () => {
  const budget = new BodyBudget(32 * MIB);
  const charge = budget.open("a");
  charge.receive(SMALL_BODY_BYTES);
  charge.receive(SMALL_BODY_BYTES);
  assert.deepEqual([budget.small.bytes, budget.large.bytes], [0, 2 * SMALL_BODY_BYTES]);
  charge.release();
  assert.deepEqual([budget.small.bytes, budget.large.bytes], [0, 0]);
});

test("many small bodies are bounded, too", () => {
  const budget = new BodyBudget(32 * MIB);
  const open = () => budget.open("a").receive(SMALL_BODY_BYTES);
  // A quarter of an eighth.
  for (let n = 0; n < 16; n++) open();
  assert.throws(open, FULL);
  budget.open("b").receive(SMALL_BODY_BYTES);
});
