import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RE2JS } from "re2js";
import { runs } from "../../../test/support/oracle/runs.ts";
import { Program } from "./program.ts";
import { StepBudget, StepLimitError } from "./step-budget.ts";

const ample = () => new StepBudget(10_000_000);

/** Pieces that use every kind of instruction, and values that are near to matching them. */
const ATOMS = [
  ...["a", "b", "ab", ".", "(?s:.)", "[ab]", "[^a]", "\\w", "\\W", "\\d", "\\pL", "(?i:k)"],
  ...["(?i:[s-t])", "\\b", "\\B", "^", "$", "(?m:^)", "(?m:$)", "\\A", "\\z", "😀", "é", "\\n"],
  ...["[😀-😂]", "(a)", "(?:)", "[^\\x00-\\x{10FFFF}]"],
];
const atom = fc.constantFrom(...ATOMS);
const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    atom,
    fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => a + b),
    fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => `(?:${a}|${b})`),
    fc
      .tuple(tie("pattern"), fc.constantFrom("*", "+", "?", "*?", "{2}", "{0,2}", "{1,}"))
      .map(([a, count]) => `(?:${a})${count}`),
  ),
}));
const CHARACTERS = [
  "a",
  "b",
  "A",
  "k",
  "\u212a",
  "s",
  "\u017f",
  "1",
  "_",
  "-",
  "\n",
  "é",
  "😀",
  "😁",
];
const value = fc.array(fc.constantFrom(...CHARACTERS, "\ud83d"), { maxLength: 8 });

test("a program matches exactly what the library matches", () => {
  let matched = 0;
  const numRuns = runs(1_000, 3_000);
  fc.assert(
    fc.property(pattern, fc.array(value, { minLength: 5, maxLength: 5 }), (text, values) => {
      const program = new Program(text);
      const library = RE2JS.compile(`^(?:${text})$`);
      for (const characters of values) {
        const joined = characters.join("");
        const expected = library.matches(joined);
        if (expected) matched++;
        assert.equal(program.matches(joined, ample()), expected, JSON.stringify([text, joined]));
      }
    }),
    { seed: 20_260_726, numRuns },
  );
  assert.ok(matched > numRuns / 6, `only ${matched} of the values match`);
});

test("a program gives the same answer, however often it runs", () => {
  const program = new Program("(?:(?:.){2})*");
  for (let run = 0; run < 50_000; run++) assert.equal(program.matches("aa😀", ample()), false);
});

test("alternatives stay within the anchors", () => {
  const program = new Program("a|b");
  for (const value of ["ab", "xb", "ax", "a\n"])
    assert.equal(program.matches(value, ample()), false);
  assert.equal(program.matches("b", ample()), true);
});

test("steps are counted the same each time, and stop a run that takes too many", () => {
  const program = new Program("(?:.?.?.?.?){300}.*");
  const hostile = "a".repeat(3_800);
  const budget = new StepBudget(100_000);
  assert.throws(() => program.matches(hostile, budget), StepLimitError);
  assert.ok(budget.used <= budget.limit + 4 * program.steps, "it stops within one character");
  const [first, second] = [ample(), ample()];
  assert.equal(program.matches("a".repeat(50), first), true, "a stopped run leaves nothing behind");
  assert.equal(program.matches("a".repeat(50), second), true);
  assert.equal(first.used, second.used);
});

test("patterns as people write them take few steps", () => {
  const long = `repo:acme/app:${"x".repeat(4_000)}`;
  for (const [pattern, value] of [
    ["repo:acme/.*", long],
    ["repo:acme/[^:]+:ref:refs/(heads|tags)/.*", "repo:acme/app:ref:refs/heads/main"],
    [".{0,512}", "x".repeat(512)],
    [".*:ref:.*:env:.*", `${long}:ref:main:env:prod`],
    [Array.from({ length: 200 }, (_, at) => `repo:acme/app-${at}`).join("|"), "repo:acme/app-150"],
  ] as const) {
    const budget = new StepBudget(100_000);
    assert.equal(new Program(pattern).matches(value, budget), true, pattern.slice(0, 40));
  }
});

test("a budget is shared by the patterns that use it", () => {
  const budget = new StepBudget(1_000);
  const program = new Program("a*");
  assert.equal(program.matches("a".repeat(100), budget), true);
  assert.throws(() => program.matches("a".repeat(300), budget), StepLimitError);
});
