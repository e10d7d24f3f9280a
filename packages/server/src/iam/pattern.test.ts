import assert from "node:assert/strict";
import { test } from "node:test";
import { inspectPattern } from "./pattern.ts";

const problemOf = async (pattern: string) => {
  const judged = await inspectPattern(pattern);
  return "problem" in judged ? judged.problem : "";
};

test("common patterns are accepted", async () => {
  for (const pattern of [
    "repo:acme/.*",
    "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    "[0-9a-f]{64}",
    ".{0,512}",
    "(dev|staging|prod){1,3}",
    "\\p{Greek}{2,4}\\x{41}{2}",
    "a{,5}",
    "(?i)[a-z0-9_-]+@[a-z.]+",
    "[\\pL\\pN_-]+",
    "(?i)[\\x{e0}-\\x{ff}]+",
    "x".repeat(2_048),
  ]) {
    assert.equal(await problemOf(pattern), "", pattern.slice(0, 40));
  }
});

test("invalid RE2 patterns and long ones are rejected", async () => {
  assert.equal(await problemOf(""), "is required");
  assert.match(await problemOf("("), /not a valid RE2 expression/);
  assert.match(await problemOf("(a)\\1"), /not a valid RE2 expression/);
  assert.match(await problemOf("x".repeat(2_049)), /at most 2048 characters/);
});

/** Each of these would block the process, for up to minutes. */
const HUGE = {
  "one character, often": "a{1000}".repeat(290),
  "a class, often": "(?:\\pL{1000})".repeat(140),
  "one that may be left out": "(a?){1000}",
  "the same, often": "(a?){1000}".repeat(200),
  "one character out of many, often": "(?:[^a]{0,1000})".repeat(120),
  alternatives: "(a|b|c|d|e|f|g|h){1000}".repeat(80),
  "a long group": `(${"a*".repeat(1_000)}){1000}`,
  "repetitions of repetitions": "((ab?){30}){33}",
  "quoted text": "(\\Q(\\E[)]a?){1000}",
  "without an upper end": "(a*b*){1000,}",
};
for (const [title, pattern] of Object.entries(HUGE)) {
  test(`patterns with too many steps are rejected: ${title}`, async () => {
    assert.ok(pattern.length <= 2_048);
    assert.match(await problemOf(pattern), /repeat less|not a valid RE2/);
  });
}

/** Each of these takes long to compile, although it has few steps. */
const COSTLY_CLASSES = {
  "Unicode classes, often": "\\pL".repeat(600),
  "ranges beyond ASCII whose case is ignored": "(?i)[B-\\x{1E900}]".repeat(100),
  "the same, written as characters": "(?i:[B-\u{1E000}])".repeat(100),
};
for (const [title, pattern] of Object.entries(COSTLY_CLASSES)) {
  test(`patterns are rejected that take long to compile: ${title}`, async () => {
    assert.ok(pattern.length <= 2_048);
    assert.match(await problemOf(pattern), /too many large character classes/);
  });
}
