import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { parseDuration, readValue } from "./values.ts";

test("durations are read in seconds", () => {
  for (const [text, seconds] of [
    ["168h", 604_800],
    ["7d", 604_800],
    ["30m", 1_800],
    ["1h30m", 5_400],
    ["1.5h", 5_400],
    ["90s", 90],
    ["2w", 1_209_600],
  ] as const) {
    assert.equal(parseDuration(text), seconds, text);
  }
  for (const text of ["", "7", "d", "-1h", "1y", "1h 30m", "1..5h"]) {
    assert.equal(parseDuration(text), undefined, text);
  }
});

test("lists are repeated or have commas", () => {
  const option = { type: "list", summary: "" } as const;
  assert.deepEqual(readValue(option, "--scope", ["a, b", "c", ""]), ["a", "b", "c"]);
  assert.deepEqual(readValue({ ...option, repeatOnly: true }, "--claim", ["a=b, c", "d"]), [
    "a=b, c",
    "d",
  ]);
});

test("invalid values are rejected with the valid ones", () => {
  const read = (type: "number" | "duration", text: string) => () =>
    readValue({ type, summary: "" }, "--it", [text]);
  assert.throws(read("number", "many"), { message: '--it must be a number, not "many"' });
  assert.throws(read("number", " "), /must be a number/);
  assert.throws(read("duration", "soon"), { message: '--it must be a duration, not "soon"' });
  const choice = { type: "choice", choices: ["json", "yaml"], summary: "" } as const;
  assert.throws(() => readValue(choice, "WHARF_OUTPUT", ["xml"]), {
    message: 'WHARF_OUTPUT must be one of json, yaml, not "xml"',
  });
});

test("a file's text arrives; one that is not there is named", () => {
  const file = join(mkdtempSync(join(tmpdir(), "wharf-values-")), "claims.yaml");
  writeFileSync(file, "issuer: x\n");
  const option = { type: "file", summary: "" } as const;
  assert.equal(readValue(option, "--file", [file]), "issuer: x\n");
  assert.throws(
    () => readValue(option, "--file", [`${file}.not`]),
    /--file cannot be read: ENOENT/,
  );
});
