import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { namesOf } from "./record-names.ts";

/** Names by their roles. */
function roles(record: JsonObject, isDistribution: boolean): Record<number, string[]> {
  const byRole = Map.groupBy(namesOf(record, isDistribution), ({ role }) => role);
  return Object.fromEntries([...byRole].map(([role, all]) => [role, all.map(({ name }) => name)]));
}

test("id and aliases are names of one vulnerability, upstream and related ones are not", () => {
  const record = { id: "GHSA-1", aliases: ["CVE-2026-0001", "GHSA-1"], related: ["CVE-2026-0002"] };
  assert.deepEqual(roles(record, false), { 1: ["GHSA-1", "CVE-2026-0001"] });
  assert.deepEqual(roles({ ...record, upstream: ["CVE-2026-0003"] }, true), {
    1: ["GHSA-1", "CVE-2026-0001"],
  });
});

test("a distribution's record of one CVE has its name, by upstream or related", () => {
  const record = { id: "DEBIAN-CVE-2026-0001", upstream: ["CVE-2026-0001"] };
  assert.deepEqual(roles(record, true), { 1: ["DEBIAN-CVE-2026-0001", "CVE-2026-0001"] });
  assert.deepEqual(roles({ id: "ALSA-1", related: ["CVE-2026-0001", "RHSA-1"] }, true), {
    1: ["ALSA-1", "CVE-2026-0001"],
  });
  // Both are names of the same CVE.
  const ubuntu = { id: "USN-1", upstream: ["CVE-2026-0001", "UBUNTU-CVE-2026-0001"] };
  assert.deepEqual(roles(ubuntu, true), { 1: ["USN-1", "CVE-2026-0001"] });
});

test("a notice about several vulnerabilities does not make them one", () => {
  const cves = ["CVE-2026-0001", "CVE-2026-0002"];
  const expected = { 2: cves, 3: ["USN-1"] };
  assert.deepEqual(roles({ id: "USN-1", upstream: cves }, true), expected);
  assert.deepEqual(roles({ id: "USN-1", aliases: cves }, true), expected);
});

test("names that the store cannot keep are changed, and all others are kept", () => {
  const long = "X".repeat(200);
  const [first, second] = namesOf({ id: "A\0B", aliases: [long, 7, " "] as never }, false);
  assert.equal(first?.name, "A\ufffdB");
  assert.match(second?.name ?? "", /^X{128} [0-9a-f]{64}$/);
  assert.equal(namesOf({ id: 3 as never }, false).length, 0);
});
