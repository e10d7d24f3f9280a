import assert from "node:assert/strict";
import { test } from "node:test";
import { readHandling, warningOf } from "./handling.ts";

for (const [prefer, expected] of [
  [undefined, undefined],
  ["", undefined],
  ["handling=strict", "strict"],
  ["Handling = Strict", "strict"],
  ['handling="strict"', "strict"],
  ["handling=lenient", "lenient"],
  ["handling=strict; foo=bar", "strict"],
  ["return=minimal, handling=strict", "strict"],
  ["handling=lenient, handling=strict", "lenient"],
  ["handling=other, handling=strict", undefined],
  ["respond-async; handling=strict", undefined],
  ['note="a, handling=strict"', undefined],
  ['note="a\\", handling=strict"', undefined],
  ["handling", undefined],
  ["handling=strictly", undefined],
  [`handling=strict, ${"x".repeat(1_000)}`, undefined],
] as const) {
  test(`Prefer: ${prefer?.slice(0, 60)} is ${expected}`, () => {
    assert.equal(readHandling(prefer), expected);
  });
}

test("a warning names unknown fields", () => {
  assert.equal(warningOf(["expireTime"]), '299 - "unknown field expireTime"');
  assert.equal(warningOf(["a", "b.c"]), '299 - "unknown field a", 299 - "unknown field b.c"');
});

test("a warning is bounded, and cannot end its text or its header", () => {
  const many = Array.from({ length: 10_000 }, () => "x".repeat(10_000));
  assert.ok(warningOf(many).length < 2_000);
  assert.match(warningOf(many), /, 299 - "9990 more unknown fields"$/);
  for (const name of ['a", 199 - "b', "a\r\nset-cookie: b", "a\0", "ä😀", "\\", "\x7f"]) {
    assert.match(warningOf([name]), /^299 - "unknown field [ !#-[\]-~]*"$/);
  }
  assert.equal(warningOf(["a\r\nb"]), '299 - "unknown field a??b"');
});
