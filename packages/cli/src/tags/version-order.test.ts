import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compareVersions } from "./version-order.ts";

test("tags are ordered by version, prereleases before releases, other names last", () => {
  const ordered = [
    ...["1", "1.0", "1.1", "1.2", "1.2-alpine", "1.2-r3", "1.2-r10", "1.9", "1.10"],
    ...["v2.0.0-alpha", "2.0.0-beta.2", "2.0.0-beta.11", "2.0.0-rc.1", "2.0.0", "2.0.1"],
    ...["20260801", "20261112131415", "edge", "latest", "stable"],
  ];
  assert.deepEqual([...ordered].reverse().sort(compareVersions), ordered);
});

test("the order of tags is total", () => {
  const name = fc.stringMatching(/^v?[0-9a-z.-]{1,8}$/);
  fc.assert(
    fc.property(name, name, name, (a, b, c) => {
      assert.equal(Math.sign(compareVersions(a, b)), -Math.sign(compareVersions(b, a)));
      if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0) {
        assert.ok(compareVersions(a, c) <= 0, `${a} ${b} ${c}`);
      }
    }),
    { seed: 20_261 },
  );
});
