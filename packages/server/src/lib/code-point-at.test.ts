import assert from "node:assert/strict";
import { test } from "node:test";
import "./code-point-at.ts";

/** So often that V8 optimizes the caller. */
const CALLS = 100_000;

function lastOf(text: string): number | undefined {
  return text.codePointAt(text.length - 1);
}

test("a slice ends where it ends", () => {
  const slice = "twelve signs😀".slice(0, 13);
  for (let call = 0; call < CALLS; call++) assert.equal(lastOf(slice), 0xd83d);
});

test("positions are read as the language says", () => {
  const text = "a😀\ud83d";
  const positions = [undefined, 0, 1, 1.9, 2, 3, 4, -1, Number.NaN, Number.POSITIVE_INFINITY];
  const points = positions.map((position) => text.codePointAt(position as number));
  const [a, smile, low, high] = [97, 0x1f600, 0xde00, 0xd83d];
  const none = undefined;
  assert.deepEqual(points, [a, a, smile, smile, low, high, none, none, a, none]);
});
