import assert from "node:assert/strict";
import { test } from "node:test";
import { FairShareCache } from "./fair-share-cache.ts";

const cacheOf = (entries: number, isExpendable?: (value: number) => boolean) =>
  new FairShareCache<number>(entries * 10, isExpendable);

test("a holder that fills the cache evicts its own entries", () => {
  const cache = cacheOf(10);
  cache.set("victim", 0, 10, "small");
  for (let at = 0; at < 100; at++) cache.set(`flood ${at}`, at, 10, "large");
  assert.equal(cache.size, 10);
  assert.equal(cache.bytes, 100);
  assert.equal(cache.get("victim", "small"), 0);
  assert.equal(cache.get("flood 99", "large"), 99);
  assert.equal(cache.get("flood 0", "large"), undefined);
});

test("an entry that a small holder uses stays, even if others use it", () => {
  const cache = cacheOf(10);
  cache.set("shared", 0, 10, "small");
  cache.get("shared", "large");
  cache.get("shared", "accomplice");
  for (let at = 0; at < 100; at++) {
    cache.set(`flood ${at}`, at, 10, "large");
    cache.get(`flood ${at}`, "accomplice");
  }
  assert.equal(cache.get("shared", "small"), 0);
});

test("several large holders evict each other before a small one", () => {
  const cache = cacheOf(12);
  cache.set("victim", 0, 10, "small");
  for (let at = 0; at < 100; at++) cache.set(`flood ${at}`, at, 10, `large ${at % 5}`);
  assert.equal(cache.get("victim", "small"), 0);
});

test("among equals, the least recently used entry goes", () => {
  const cache = cacheOf(3);
  for (const [at, name] of ["a", "b", "c"].entries()) cache.set(name, at, 10, name);
  cache.get("a", "a");
  cache.set("d", 3, 10, "d");
  assert.deepEqual(
    ["a", "b", "c", "d"].map((name) => cache.get(name, name)),
    [0, undefined, 2, 3],
  );
});

test("expendable entries go first, regardless of their holders", () => {
  const cache = cacheOf(5, (value) => value < 0);
  cache.set("failed", -1, 10, "small");
  for (let at = 0; at < 5; at++) cache.set(`flood ${at}`, at, 10, "large");
  assert.equal(cache.get("failed", "small"), undefined);
  assert.equal(cache.get("flood 0", "large"), 0);
});

test("an entry that grows counts with its new size", () => {
  const cache = cacheOf(10);
  cache.set("a", 1, 10, "a");
  cache.set("a", 2, 60, "a");
  assert.deepEqual([cache.size, cache.bytes, cache.get("a", "a")], [1, 60, 2]);
  cache.set("b", 3, 50, "b");
  assert.deepEqual([cache.get("a", "a"), cache.get("b", "b"), cache.bytes], [undefined, 3, 50]);
});
