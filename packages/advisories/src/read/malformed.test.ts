import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { DocumentError } from "./document-error.ts";
import { READ_LIMITS } from "./limits.ts";
import { type Format, READERS, readDocument } from "./read.ts";
import { problemsOf } from "./testing.ts";

/** A failure reports its path below this seed. */
const SEED = 20_261;

const FORMATS = Object.keys(READERS) as Format[];

/** Asserts that any input is read, or rejected with a reason. */
function tryReading(bytes: Uint8Array, format?: Format): void {
  try {
    readDocument(bytes, { name: "any", format });
  } catch (thrown) {
    assert.ok(thrown instanceof DocumentError, String(thrown));
    assert.ok(thrown.problems.length > 0);
    for (const { reason, line } of thrown.problems) {
      assert.notEqual(reason, "");
      assert.ok(line === undefined || line > 0);
    }
  }
}

/** Keys that readers know, so that random structures reach deeper code. */
const NAMES = [
  ..."schema-version package name advisories id aliases events timestamp type data note".split(" "),
  ..."fixed-version schema_version modified withdrawn severity affected ranges versions".split(" "),
  ..."ecosystem purl introduced fixed last_affected database_specific wharf score".split(" "),
  ..."@context author statements vulnerability products status justification @id".split(" "),
  ..."document category csaf_version publisher tracking product_tree branches product".split(" "),
  ..."vulnerabilities product_status known_affected flags label product_ids scores".split(" "),
  ..."identifiers subcomponents cve ids text relationships current_release_date".split(" "),
  ..."__proto__ constructor toString".split(" "),
];

const TEXTS = [
  ..."2.0.2 1.6.0 2.0 csaf_vex scan/v1 detection fixed affected not_affected final".split(" "),
  ..."2026-01-01T00:00:00Z CVE-2026-1 CGA-2q5g-x3vm-7r9c pkg:apk/wolfi/a@1 npm SEMVER".split(" "),
  ..."https://openvex.dev/ns/v0.2.0 CVSS_V3 product_name known_affected".split(" "),
];

const anyTree = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    fc.constantFrom(...TEXTS),
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie("value"), { maxKeys: 6 }),
  ),
})).value;

describe("arbitrary input", () => {
  test("any bytes are read or rejected", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => tryReading(bytes)),
      { seed: SEED },
    );
  });

  test("any text is read or rejected", () => {
    const text = fc
      .array(fc.constantFrom(..."{}[]:,-\"'&*!|>#\n \t?a1~%@`"))
      .map((all) => all.join(""));
    fc.assert(
      fc.property(text, (one) => tryReading(Buffer.from(one))),
      { seed: SEED, numRuns: 500 },
    );
  });

  test("any structure is read or rejected, in every format", () => {
    fc.assert(
      fc.property(anyTree, fc.constantFrom(...FORMATS), (tree, format) => {
        tryReading(Buffer.from(JSON.stringify(tree)), format);
      }),
      { seed: SEED, numRuns: 2000 },
    );
  });

  test("an unknown format is rejected with the supported ones", () => {
    const known = "the advisories of a package (schema version 2), OSV, OpenVEX, CSAF or CycloneDX";
    for (const text of ["{}", "[]", "- a", "true", ""]) {
      assert.match(problemsOf(text)[0] as string, /is not a supported format/);
    }
    assert.deepEqual(problemsOf("hello"), [
      `1:1: is not a supported format "hello"; expected ${known}`,
    ]);
    assert.match(
      problemsOf('{"id":"x"}', { format: "csaf" })[0] as string,
      /document: is missing$/,
    );
  });

  test("a hundred megabytes are rejected by their size", () => {
    const bytes = Buffer.alloc(100 * 1024 * 1024, "x");
    assert.throws(
      () => readDocument(bytes, { name: "large" }),
      new DocumentError([{ path: "", reason: "is larger than 16 MiB" }]),
    );
  });

  test("long text, lists and names are rejected with their limits", () => {
    const osv = { id: "A-1", modified: "2026-01-01T00:00:00Z" };
    const { nameLength, textLength, aliases } = READ_LIMITS;
    assert.deepEqual(problemsOf({ ...osv, id: "x".repeat(nameLength + 1) }), [
      `2:9: id: has ${nameLength + 1} characters; the maximum is ${nameLength}`,
    ]);
    assert.deepEqual(problemsOf({ ...osv, summary: "x".repeat(textLength + 1) }), [
      `4:14: summary: has ${textLength + 1} characters; the maximum is ${textLength}`,
    ]);
    const many = Array.from({ length: aliases + 1 }, (_, number) => `CVE-1-${number}`);
    assert.deepEqual(problemsOf({ ...osv, aliases: many }), [
      `4:14: aliases: has ${aliases + 1} entries; the maximum is ${aliases}`,
    ]);
  });
});
