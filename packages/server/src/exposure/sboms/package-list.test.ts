import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePackageUrl } from "@wharf/advisories/package-url";
import fc from "fast-check";
import { runs } from "../../../test/support/oracle/runs.ts";
import { isImage, isValid } from "./package-list.ts";

test("knows valid package URLs without parsing plain ones", () => {
  const letters = fc.constantFrom(
    ...["a", "Z", "9", "/", "@", ":", "?", "&", "=", "+", "%", "#", " ", "é", "."],
  );
  const rest = fc.string({ unit: letters, maxLength: 12 });
  const property = fc.property(
    fc.constantFrom("pkg:npm/", "pkg:", "pkg:a/b", "npm/"),
    rest,
    (start, end) => {
      const purl = `${start}${end}`;
      assert.equal(isValid(purl), parsePackageUrl(purl) !== undefined, purl);
    },
  );
  fc.assert(property, { numRuns: runs(3_000, 100_000) });
});

test("tells images from packages", () => {
  for (const purl of ["pkg:oci/app", "pkg:OCI/app@1", "pkg:docker/a/b@1", "pkg://oci/app"]) {
    assert.equal(isImage(purl), true, purl);
  }
  for (const purl of ["pkg:npm/oci", "pkg:ocix/a", "oci/app", "", "pkg:", "pkg:oci"]) {
    assert.equal(isImage(purl), false, purl);
  }
});
