import assert from "node:assert/strict";
import { test } from "node:test";
import { BoundedCache } from "./bounded-cache.ts";

test("a cache never exceeds its entries or its bytes", () => {
  const cache = new BoundedCache<number, string>({ maxEntries: 100, maxBytes: 10_000 });
  for (let at = 0; at < 1_000; at++) {
    cache.set(at, `value ${at}`, at % 3 === 0 ? 900 : 1);
    assert.ok(cache.size <= 100, String(cache.size));
    assert.ok(cache.bytes <= 10_000, String(cache.bytes));
    assert.equal(cache.get(at), `value ${at}`);
  }
});

test("entries in use survive those that are not", () => {
  const cache = new BoundedCache<string, number>({ maxEntries: 10, maxBytes: 1_000 });
  cache.set("used", 1, 1);
  for (let at = 0; at < 1_000; at++) {
    cache.set(`other ${at}`, at, 1);
    assert.equal(cache.get("used"), 1);
  }
  assert.equal(cache.get("other 0"), undefined);
});

test("a value that would fill the cache is not kept, and displaces nothing", () => {
  const cache = new BoundedCache<string, number>({ maxEntries: 10, maxBytes: 1_000 });
  cache.set("small", 1, 1);
  cache.set("huge", 2, 501);
  assert.equal(cache.get("huge"), undefined);
  assert.equal(cache.get("small"), 1);
});

test("replacing, deleting and clearing keep the count of bytes right", () => {
  const cache = new BoundedCache<string, number>({ maxEntries: 10, maxBytes: 1_000 });
  cache.set("a", 1, 100);
  cache.set("a", 2, 50);
  assert.deepEqual([cache.get("a"), cache.size, cache.bytes], [2, 1, 50]);
  cache.delete("a");
  assert.deepEqual([cache.get("a"), cache.size, cache.bytes], [undefined, 0, 0]);
  cache.set("b", 1, 10);
  cache.clear();
  assert.deepEqual([cache.get("b"), cache.size, cache.bytes], [undefined, 0, 0]);
});

test("entries expire with the TTL, and a new value starts it again", () => {
  const cache = new BoundedCache<string, number>({ maxEntries: 10, ttlMs: 100 });
  cache.set("a", 1, 0, 1_000);
  assert.equal(cache.get("a", 1_099), 1);
  assert.equal(cache.get("a", 1_100), undefined);
  assert.equal(cache.size, 0);
  cache.set("a", 2, 0, 1_100);
  cache.set("a", 3, 0, 1_150);
  assert.equal(cache.get("a", 1_249), 3);
});

test("the more recently used half of the entries is always kept", () => {
  const cache = new BoundedCache<number, number>({ maxEntries: 20 });
  for (let at = 0; at < 1_000; at++) {
    cache.set(at, at);
    for (let recent = Math.max(0, at - 9); recent <= at; recent++) assert.ok(cache.has(recent));
  }
});
