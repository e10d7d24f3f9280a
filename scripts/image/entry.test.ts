import assert from "node:assert/strict";
import { test } from "node:test";
import { type Entry, layerOf } from "./entry.ts";

test("layers have the same bytes, in whatever order files are added", async () => {
  const entries: [string, Entry][] = [
    ["usr/lib/b", { type: "file", content: Buffer.from("b"), mode: 0o755 }],
    ["lib", { type: "symlink", target: "usr/lib" }],
    ["usr/lib/a", { type: "file", content: Buffer.from("a") }],
    ["tmp", { type: "directory", mode: 0o1777 }],
  ];
  const one = await layerOf(new Map(entries), 1_700_000_000);
  const other = await layerOf(new Map(entries.toReversed()), 1_700_000_000);
  assert.deepEqual(one, other);
  const later = await layerOf(new Map(entries), 1_700_000_001);
  assert.notEqual(later.diffId, one.diffId);
});
