import assert from "node:assert/strict";
import { test } from "node:test";
import { MatchedBy } from "@wharf/contract";
import { type ComparedRecord, MATCH_STATES, match } from "./match.ts";

const version = (ecosystem: string, name: string, text: string, more: object = {}) => ({
  ...{ ecosystem, release: "", name, version: text, origin: "", originVersion: "" },
  ...more,
});

const before = (release: string, name: string, fixed: string): ComparedRecord => ({
  ecosystem: release.split(":")[0] as string,
  release,
  package: name,
  affected: [{ ranges: [{ type: "ECOSYSTEM", events: [{ introduced: "0" }, { fixed }] }] }],
});

test("packages of Debian match by source package, with its version", () => {
  const libc = version("Debian", "libc6", "2.36-9+b1", {
    ...{ release: "Debian:12", origin: "glibc", originVersion: "2.36-9" },
  });
  const found = match(libc, before("Debian:12", "glibc", "2.36-9+deb12u1"));
  assert.deepEqual([found?.state, found?.matchedBy], [MATCH_STATES.affected, MatchedBy.ORIGIN]);
  assert.deepEqual(found?.fixed, ["2.36-9+deb12u1"]);
  assert.equal(match(libc, before("Debian:12", "glibc", "2.36-9")), undefined);
  // A source package may have the name of another's binary package.
  assert.equal(match(libc, before("Debian:12", "libc6", "3")), undefined);
  assert.equal(match(libc, before("Debian:11", "glibc", "3")), undefined);
  assert.equal(match(libc, before("Ubuntu:24.04", "glibc", "3")), undefined);
});

test("packages of Red Hat match by either name", () => {
  const lib = version("AlmaLinux", "openssl-libs", "1:3.0.7-1.el9", {
    ...{ release: "AlmaLinux:9", origin: "openssl", originVersion: "1:3.0.7-1.el9" },
  });
  const by = (name: string) => match(lib, before("AlmaLinux:9", name, "1:3.0.7-2.el9"))?.matchedBy;
  assert.deepEqual(
    [by("openssl-libs"), by("openssl"), by("openssl-devel")],
    [MatchedBy.NAME, MatchedBy.ORIGIN, undefined],
  );
  // Without the epoch, it would be fixed.
  assert.equal(match(lib, before("AlmaLinux:9", "openssl", "3.1.0-1.el9")), undefined);
});

test("builds for modules and others are not compared", () => {
  const modular = version("AlmaLinux", "nodejs", "1:18.0.0-1.module_el8.6.0+1", {
    release: "AlmaLinux:8",
  });
  assert.equal(match(modular, before("AlmaLinux:8", "nodejs", "1:20.0.0-1.el8")), undefined);
  const fix = "1:18.1.0-1.module_el8.7.0+2";
  assert.equal(match(modular, before("AlmaLinux:8", "nodejs", fix))?.state, MATCH_STATES.affected);
  const plain = version("AlmaLinux", "nodejs", "1:18.0.0-1.el8", { release: "AlmaLinux:8" });
  assert.equal(match(plain, before("AlmaLinux:8", "nodejs", fix)), undefined);
});

test("an unknown release is a remark, and no clearance", () => {
  const unknown = version("Alpine", "zlib", "1.2.0-r0");
  const found = match(unknown, before("Alpine:v3.19", "zlib", "1.3.0-r0"));
  assert.deepEqual(found?.detail.remarks, ["release unknown"]);
  assert.equal(match(unknown, before("Alpine:v3.19", "zlib", "0")), undefined);
  const released = version("Alpine", "zlib", "1.2.0-r0", { release: "v3.19" });
  const cleared = match(released, before("Alpine:v3.19", "zlib", "0"));
  assert.equal(cleared?.state, MATCH_STATES.notAffected);
});

test("all entries of a record count: one affects, all clear", () => {
  const range = (introduced: string, fixed: string) => ({
    ranges: [{ type: "SEMVER", events: [{ introduced }, { fixed }] }],
  });
  const record = { ecosystem: "npm", release: "npm", package: "a" };
  const at = (text: string, ...affected: ReturnType<typeof range>[]) =>
    match(version("npm", "a", text), { ...record, affected });
  const both = [range("0", "1.0.0"), range("2.0.0", "2.1.0")];
  assert.deepEqual(at("2.0.5", ...both)?.fixed, ["2.1.0"]);
  assert.equal(at("2.0.5", ...both)?.detail.introduced, "2.0.0");
  assert.equal(at("1.5.0", ...both), undefined);
  assert.equal(at("1.5.0", range("0", "0"), range("2.0.0", "2.1.0")), undefined);
  assert.equal(at("1.5.0", range("0", "0"))?.state, MATCH_STATES.notAffected);
  const unknown = at("not a version", ...both);
  assert.equal(unknown?.state, MATCH_STATES.unknown);
  assert.deepEqual(unknown?.detail.remarks, ["version not comparable"]);
  assert.deepEqual(unknown?.fixed, ["1.0.0", "2.1.0"]);
});
