import assert from "node:assert/strict";
import { test } from "node:test";
import { indexable } from "./indexable.ts";

test("short texts are unchanged", () => {
  for (const text of ["", "CVE-2026-0001", "ä€😀", "x".repeat(128)]) {
    assert.equal(indexable(text), text);
  }
});

test("long texts become short, and stay different", () => {
  const long = "x".repeat(4_096);
  const texts = [long, `${long}y`, "x".repeat(129), indexable(long), `${"😀".repeat(64)}😀`];
  const keys = texts.map(indexable);
  assert.equal(new Set(keys).size, texts.length);
  for (const text of keys) assert.ok(text.length < 200 && text.isWellFormed(), text);
});

test("a lone surrogate becomes U+FFFD", () => {
  for (const text of ["\ud83d", `${"x".repeat(127)}😀`, `${"\ud83d".repeat(200)}`]) {
    assert.ok(indexable(text).isWellFormed());
  }
});
