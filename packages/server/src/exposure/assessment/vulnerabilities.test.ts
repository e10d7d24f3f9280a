import assert from "node:assert/strict";
import { test } from "node:test";
import { NAME_ROLES } from "../../store/tables/exposure/records/record-names.ts";
import { Vulnerabilities } from "./vulnerabilities.ts";

const { same, separate, notice } = NAME_ROLES;

function known(...records: readonly (readonly [role: number, ...names: string[]][])[]) {
  return new Vulnerabilities(
    records.flatMap((parts, record) =>
      parts.flatMap(([role, ...names]) =>
        names.map((name) => ({ record, name, role, group: "g" })),
      ),
    ),
  );
}

test("names are joined over any number of records", () => {
  const all = known(
    [[same, "GHSA-1", "PYSEC-1"]],
    [[same, "GHSA-2", "CVE-2026-0002"]],
    [[same, "PYSEC-1", "GHSA-2"]],
    [[same, "GHSA-3"]],
  );
  const names = ["CVE-2026-0002", "GHSA-1", "GHSA-2", "PYSEC-1"];
  for (const record of [0, 1, 2]) {
    assert.deepEqual(all.of(record), [{ name: "CVE-2026-0002", names }]);
  }
  assert.deepEqual(all.of(3), [{ name: "GHSA-3", names: ["GHSA-3"] }]);
  assert.equal(all.of(0)[0], all.of(2)[0], "one object for each vulnerability");
  assert.deepEqual(all.of(9), []);
});

test("a notice joins nothing, and its own name is none of a vulnerability", () => {
  const cves = ["CVE-2026-0001", "CVE-2026-0002"];
  const all = known(
    [
      [separate, ...cves],
      [notice, "USN-1"],
    ],
    [[same, "GHSA-1", "CVE-2026-0002"]],
  );
  assert.deepEqual(all.of(0), [
    { name: "CVE-2026-0001", names: ["CVE-2026-0001"] },
    { name: "CVE-2026-0002", names: ["CVE-2026-0002", "GHSA-1"] },
  ]);
});

test("a notice about two names of one vulnerability is about it once", () => {
  const all = known(
    [[separate, "CVE-2026-0001", "CVE-2026-0002"]],
    [[same, "CVE-2026-0001", "CVE-2026-0002"]],
  );
  assert.equal(all.of(0).length, 1);
  assert.equal(all.of(0)[0]?.name, "CVE-2026-0001");
});
