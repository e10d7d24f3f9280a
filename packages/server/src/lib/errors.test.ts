import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type CodeName, invalidArgument, permissionDenied, WharfError } from "./errors.ts";

test("the API guide has the codes, statuses and words of the catalog", () => {
  const guide = readFileSync(join(import.meta.dirname, "../../../../docs/api.md"), "utf8");
  const rows = [...guide.matchAll(/^\| (\d+) \| ([A-Z_]+) \| (\d+)[^|]*\| `([^`]+)` \|/gm)];
  assert.ok(rows.length >= 9);
  for (const [, number, name, http, words] of rows) {
    const error = new WharfError(name as CodeName, "x");
    assert.equal(error.number, Number(number));
    assert.equal(error.httpStatus, Number(http));
    assert.equal(error.message, `${words}x`);
  }
});

test("an unknown error is shown as INTERNAL without details, and kept for the log", () => {
  const thrown = new Error("password=hunter2");
  const error = WharfError.from(thrown);
  assert.equal(error.code, "INTERNAL");
  assert.doesNotMatch(error.message, /hunter2/);
  assert.equal(error.cause, thrown);
});

test("several violations share one message", () => {
  const error = invalidArgument(
    { field: "a", description: "a is bad" },
    { field: "", description: "all is bad" },
  );
  assert.equal(error.message, "Invalid argument: a: a is bad; all is bad");
});

test("a permission error without a scope says so", () => {
  const error = permissionDenied(["groups.create"], "");
  assert.equal(error.message, "Permission denied: needs groups.create anywhere");
});

test("a response does not repeat a long request", () => {
  const long = "\u{1F600}".repeat(1_000_000);
  const one = invalidArgument({ field: `x${long}`, description: `x${long} is not a known field` });
  const many = Array.from({ length: 10_000 }, () => ({ field: "a", description: "b" }));
  for (const { message, detail } of [one, invalidArgument(...many)]) {
    assert.ok(message.length < 6_000, String(message.length));
    assert.ok(message.isWellFormed());
    assert.ok(JSON.stringify(detail).length < 20_000);
  }
});
