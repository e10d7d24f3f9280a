import assert from "node:assert/strict";
import { test } from "node:test";
import { versionOf } from "./purl-version.ts";

test("the version of a package URL is behind its last @", () => {
  assert.equal(versionOf("pkg:apk/alpine/musl@1.2.5-r0?arch=x86_64"), "1.2.5-r0");
  assert.equal(versionOf("pkg:npm/%40types/node@20.1.0"), "20.1.0");
  assert.equal(versionOf("pkg:deb/debian/tar@1.34%2Bdfsg-1.2"), "1.34+dfsg-1.2");
  assert.equal(versionOf("pkg:npm/left-pad@1%zz"), "1%zz");
  assert.equal(versionOf("pkg:npm/left-pad"), "pkg:npm/left-pad");
});
