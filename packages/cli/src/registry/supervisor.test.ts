import assert from "node:assert/strict";
import { test } from "node:test";
import { hasNewKey } from "./supervisor.ts";

const [ONE, TWO, THREE] = ["one", "two", "three"].map(
  (name) => `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----\n`,
) as [string, string, string];

test("only a new key is a rotation; removed or reordered keys are not", () => {
  assert.ok(hasNewKey(TWO + THREE + ONE, ONE + TWO));
  assert.ok(!hasNewKey(TWO + THREE, TWO + THREE + ONE));
  assert.ok(!hasNewKey(TWO + ONE, ONE + TWO));
  assert.ok(!hasNewKey("", ONE));
});
