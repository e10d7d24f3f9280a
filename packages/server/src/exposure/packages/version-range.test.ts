import assert from "node:assert/strict";
import { test } from "node:test";
import { orderOf } from "../orders/order-of.ts";
import { isInRange, readRange } from "./version-range.ts";

const npm = orderOf("npm");

test("a version is in a range if it is within all bounds", () => {
  const range = readRange(">=1.2.0, <1.4.7");
  const found = ["1.1.9", "1.2.0", "1.4.6", "1.4.7"].map((one) => isInRange(one, range, npm));
  assert.deepEqual(found, [false, true, true, false]);
  assert.equal(isInRange("1.2.0", readRange("1.2.0"), npm), true);
  assert.equal(isInRange("1.2.0", readRange("!=1.2.0"), npm), false);
  assert.equal(isInRange("1.2.0", readRange(">1.2.0"), npm), false);
  assert.equal(isInRange("1.2.0", readRange("<=1.2.0"), npm), true);
});

test("without an order only the same version can be compared", () => {
  assert.equal(isInRange("7", readRange("=7"), undefined), true);
  assert.equal(isInRange("7", readRange("<8"), undefined), undefined);
});

test("what is no range is rejected", () => {
  for (const text of ["", ">=", "1 2", ">=1,,<2", "><1"]) {
    assert.throws(() => readRange(text), { code: "INVALID_ARGUMENT" }, text);
  }
});
