import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { endOf, presetOf } from "./end.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");

describe("the end of a decision", () => {
  test("is so many days from now, or the end of a day", () => {
    assert.equal(endOf("30", "", NOW), "2026-03-31T12:00:00.000Z");
    assert.equal(endOf("date", "2026-03-01", NOW), "2026-03-01T23:59:59.000Z");
    assert.equal(endOf("", "", NOW), undefined);
  });

  test("is a time in the future", () => {
    for (const date of ["", "2026-02-28", "soon"]) {
      assert.throws(() => endOf("date", date, NOW, "Enter a date."), /Enter a date/);
    }
  });

  test("is the same date when it is edited", () => {
    const { preset, date } = presetOf("2026-03-01T23:59:59Z");
    assert.equal(endOf(preset, date, NOW), "2026-03-01T23:59:59.000Z");
    assert.deepEqual(presetOf(undefined), { preset: "", date: "" });
  });
});
