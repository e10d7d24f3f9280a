import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { baseScore } from "./base-score.ts";

/** Vectors with the scores of FIRST's calculator. */
const KNOWN = [
  ["CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H", 9.8, "CRITICAL"],
  ["CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H", 10, "CRITICAL"],
  ["CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N", 6.1, "MEDIUM"],
  ["CVSS:3.0/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:N/A:N", 5.9, "MEDIUM"],
  ["CVSS:3.1/AV:L/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H", 7.8, "HIGH"],
  ["CVSS:3.1/AV:P/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N", 1.6, "LOW"],
  ["CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N", 0, "NONE"],
  ["CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H/E:P", 7.5, "HIGH"],
] as const;

describe("base scores", () => {
  for (const [vector, score, severity] of KNOWN) {
    test(`${vector} is ${score}`, () => {
      assert.deepEqual(baseScore(vector), { version: vector.slice(5, 8), score, severity });
    });
  }

  test("exist only for complete vectors of version 3", () => {
    const wrong = [
      "",
      "7.5",
      "CVSS:3.1/AV:N/AC:L",
      "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N",
      "CVSS:3.1/AV:N/AV:L/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",
      "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H\n",
    ];
    for (const vector of wrong) assert.equal(baseScore(vector), undefined, vector);
  });
});
