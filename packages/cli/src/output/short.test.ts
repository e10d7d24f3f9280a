import assert from "node:assert/strict";
import { test } from "node:test";
import { shortDigest, sizeText } from "./short.ts";

test("digests are shortened to 12 digits", () => {
  assert.equal(shortDigest(`sha256:0123456789ab${"c".repeat(52)}`), "0123456789ab");
  assert.equal(shortDigest(`sha512:0123456789ab${"c".repeat(116)}`), "sha512:0123456789ab");
  assert.equal(shortDigest(""), "");
});

test("sizes have the unit that people read", () => {
  const sizes = [0, 28, 999, 1000, 47_350, 999_949, 999_950, 12_345_678, 5_000_000_000n];
  assert.deepEqual(sizes.map(sizeText), [
    ...["0 B", "28 B", "999 B", "1.0 kB", "47.4 kB", "999.9 kB", "1.0 MB", "12.3 MB", "5.0 GB"],
  ]);
});
