import assert from "node:assert/strict";
import { test } from "node:test";
import { DIALECT } from "../sqlite/dialect.ts";
import { ResultCache } from "./result-cache.ts";

test("a result is read once until the cache is cleared", () => {
  const cache = new ResultCache();
  let reads = 0;
  const read = () => cache.get("SELECT 1", ["a"], () => ++reads);
  assert.deepEqual([read(), read()], [1, 1]);
  cache.clear();
  assert.equal(read(), 2);
});

test("a statement that depends on the time is run each time", () => {
  const cache = new ResultCache();
  for (const sql of [`SELECT ${DIALECT.now}`, "SELECT 1 ORDER BY random()"]) {
    let reads = 0;
    const read = () => cache.get(sql, [], () => ++reads);
    assert.deepEqual([read(), read()], [1, 2], sql);
    cache.add(sql, [], 7);
    assert.equal(cache.peek(sql, []), undefined);
  }
});

test("an empty result is cached, too", () => {
  const cache = new ResultCache();
  let reads = 0;
  const read = () =>
    cache.get("SELECT 1", [], () => {
      reads += 1;
      return undefined;
    });
  assert.deepEqual([read(), read(), reads], [undefined, undefined, 1]);
});

test("parameters whose joined texts are similar have different keys", () => {
  const cache = new ResultCache();
  const keys = [["a|1:b"], ["a", "b"], ["a1:b"], [1], ["1"], ["", "1"], [null], ["null"]];
  const seen = new Set(keys.map((params) => cache.get("x", params, () => ({}))));
  assert.equal(seen.size, keys.length);
  assert.notEqual(
    cache.get("y", [1], () => "y"),
    cache.get("x", [1], () => "x"),
  );
});

test("the cache stays within its bounds", () => {
  const cache = new ResultCache();
  const large = "x".repeat(1_000_000);
  for (let at = 0; at < 40; at++) cache.get("x", [at], () => `${large}${at}`);
  let again = 0;
  for (let at = 0; at < 40; at++) cache.get("x", [at], () => ++again);
  assert.ok(again >= 24, String(again));
});

test("an unlimited number of statements does not fill the memory", () => {
  const cache = new ResultCache();
  for (let at = 0; at < 100_000; at++) cache.get(`SELECT ${at}`, [at], () => at);
  let again = 0;
  for (let at = 0; at < 100_000; at++) cache.get(`SELECT ${at}`, [at], () => ++again);
  assert.ok(again > 10_000, String(again));
});
