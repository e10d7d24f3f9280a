import assert from "node:assert/strict";
import { test } from "node:test";
import { cut, harmless, widthOf, wrap } from "./width.ts";

test("wide characters take two cells, marks none", () => {
  for (const [text, width] of [
    ["acme", 4],
    ["日本", 4],
    ["한국", 4],
    ["e\u0301", 1],
    ["👩‍👩‍👧", 2],
    ["🇩🇪", 2],
    ["ｗｉｄｅ", 8],
    ["…", 1],
    ["", 0],
  ] as const) {
    assert.equal(widthOf(text), width, text);
  }
});

test("what is cut never breaks a character in two", () => {
  assert.equal(cut("organization", 6), "organ…");
  assert.equal(cut("日本語", 4), "日…");
  assert.equal(cut("日本語", 3), "日…");
  assert.equal(cut("a👩‍👩‍👧b", 3), "a…");
  assert.equal(cut("short", 5), "short");
  assert.equal(cut("long", 1), "…");
  assert.equal(cut("long", 0), "");
});

test("control sequences are escaped", () => {
  assert.equal(harmless("a\u001b[2Jb\u0007\u009b\u202e\nc"), "a\\x1b[2Jb\\x07\\x9b\\u202e⏎c");
});

test("paragraphs are broken at spaces", () => {
  assert.deepEqual(wrap("one two three", 8), ["one two", "three"]);
  assert.deepEqual(wrap("unbreakable", 4), ["unbreakable"]);
});
