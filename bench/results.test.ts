import assert from "node:assert/strict";
import { test } from "node:test";
import { readOptions } from "./options.ts";
import { resumeProblem } from "./results.ts";

const SOURCE = { commit: "abc1234", changed: false, built: true };
const FULL = { ...SOURCE, settings: readOptions([]) };

test("a run resumes an earlier one of the same commit and options", () => {
  assert.equal(resumeProblem(FULL, SOURCE, readOptions(["--resume"])), undefined);
  const resumed = { ...SOURCE, settings: readOptions(["--resume"]) };
  assert.equal(resumeProblem(resumed, SOURCE, readOptions(["--resume"])), undefined);
});

test("a run does not resume one whose figures are of something else", () => {
  const resume = readOptions(["--resume"]);
  const problems = [
    resumeProblem(FULL, { ...SOURCE, commit: "def5678" }, resume),
    resumeProblem(FULL, { ...SOURCE, changed: true }, resume),
    resumeProblem({ ...FULL, changed: true }, SOURCE, resume),
    resumeProblem(FULL, { ...SOURCE, built: false }, resume),
    resumeProblem(FULL, SOURCE, readOptions(["--resume", "--quick"])),
    resumeProblem(FULL, SOURCE, readOptions(["--resume", "--peers"])),
  ];
  assert.deepEqual(problems, [
    "it measured commit abc1234",
    "there are, or were, uncommitted changes",
    "there are, or were, uncommitted changes",
    "it ran the build",
    "it had other options",
    "it had other options",
  ]);
});
