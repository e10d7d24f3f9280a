import assert from "node:assert/strict";
import { test } from "node:test";
import { mustNotExceed, relativeDefinitionsIn, violationsIn } from "./check-language.ts";

function found(file: string, text: string): string[] {
  return violationsIn(file, text).map((violation) => `${violation.line}: ${violation.found}`);
}

test("finds planted words in identifiers, comments and texts, with their lines", () => {
  const source = [
    "/** Whoever asks is told. */",
    "const MOST_BYTES = 1;",
    "const READS_AT_ONCE = 2, PATIENCE_MS = 3;",
    "// mends what was passed over",
    'throw new Error("the organisation is taken in anew");',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source code to be read.
    "const text = `held ${organisationOf(`a ${told}`)} against it, whoever ${1}`;",
  ].join("\n");
  assert.deepEqual(found("packages/x/src/a.ts", source), [
    "1: Whoever",
    "1: told",
    "2: MOST_BYTES",
    "3: READS_AT_ONCE",
    "3: PATIENCE_MS",
    "4: mends",
    "4: passed over",
    "5: organisation",
    "5: taken in",
    "5: anew",
    "6: organisationOf",
    "6: told",
    "6: whoever",
  ]);
});

test("leaves names of the outside world alone", () => {
  const source = [
    'const type = "ORGANISATION_NOT_VERIFIED";',
    'const field = form.get("organisation");',
    "const code = status.CANCELLED;",
    "// The violation `ORGANISATION_NOT_VERIFIED` is part of the API, see https://example.com/organisation",
    "const pattern = /organisation|whoever/;",
    "const half = total / 2; // recommended, almost, amend, retold",
    "const almostAll = utmost(most); // a reconcile pass over a registry",
  ].join("\n");
  assert.deepEqual(found("packages/x/src/a.ts", source), []);
});

test("reads documents without their code", () => {
  const document = [
    "# Behaviour",
    "",
    "Looks through `whoever`, [here](https://example.com/colour).",
    "",
    "1. A step:",
    "",
    "   ```console",
    "   $ curl -d organisation=acme",
    "   ```",
    "",
    "Cancelled, and CANCELLED is gRPC's.",
  ].join("\n");
  assert.deepEqual(found("docs/a.md", document), [
    "1: Behaviour",
    "3: Looks through",
    "11: Cancelled",
  ]);
});

test("reads comments and names of protobuf", () => {
  const source = "// The catalogue, as far as anyone may see it.\nstring organisation_uid = 1;\n";
  assert.deepEqual(found("proto/wharf/a.proto", source), [
    "1: catalogue",
    "1: as far as",
    "2: organisation_uid",
  ]);
});

test("suggests the word to use", () => {
  const [violation] = violationsIn("docs/a.md", "Do it anew.");
  assert.deepEqual(violation, { file: "docs/a.md", line: 1, found: "anew", suggestion: "again" });
});

test("finds definitions by relative clause, and participles as nouns", () => {
  const source = [
    "/** What a worker needs. */",
    "/**",
    " * Where the key is.",
    " */",
    "/** Those of one caller. */",
    "const known = cache.get(key);",
    "let kept = 0;",
    "// Replaces what is known.",
  ].join("\n");
  const definitions = relativeDefinitionsIn("packages/x/src/a.ts", source);
  assert.deepEqual(
    definitions.map(({ line, found }) => `${line}: ${found}`),
    ["1: What", "3: Where", "5: Those", "6: known", "7: kept", "8: what is known"],
  );
  mustNotExceed(definitions, 6);
  assert.throws(
    () => mustNotExceed(definitions, 5),
    /^StepError: 6 relative definitions, at most 5/,
  );
});

test("accepts definitions by kind", () => {
  const source = [
    "/** Start message of a worker. */",
    "/** Whether the key is in the store. */",
    "/** However long it takes. */",
    "// Where the network is slow, reads are batched.",
    "const cached = cache.known(known);",
    'const text = "What is known";',
    "const { isKnown, knownKeys } = keys;",
  ].join("\n");
  assert.deepEqual(relativeDefinitionsIn("packages/x/src/a.ts", source), []);
});
