import assert from "node:assert/strict";
import { test } from "node:test";
import { shownText } from "./columns.ts";

const NOW = Date.UTC(2026, 10, 16, 12);

test("times are shown as ages, everything else as text", () => {
  const at = (ms: number) => shownText(new Date(NOW + ms), NOW);
  assert.equal(at(-400), "0s ago");
  assert.equal(at(-59_999), "59s ago");
  assert.equal(at(-60_000), "1m ago");
  assert.equal(at(-26 * 3_600_000), "1d ago");
  assert.equal(at(-800 * 86_400_000), "2y ago");
  assert.equal(at(3 * 3_600_000), "in 3h");
  assert.equal(shownText("2026-11-16", NOW), "2026-11-16");
  assert.equal(shownText(undefined, NOW), "");
  assert.equal(shownText([1, 2], NOW), "1, 2");
});
