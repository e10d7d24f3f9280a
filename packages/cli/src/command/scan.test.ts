import assert from "node:assert/strict";
import { test } from "node:test";
import { CommandError } from "../errors.ts";
import type { Options } from "./definition.ts";
import { scan } from "./scan.ts";

const OPTIONS = {
  output: { type: "choice", choices: ["json", "id"], short: "o", summary: "" },
  issuer: { type: "string", aliases: ["auth-url"], summary: "" },
  scope: { type: "list", summary: "" },
  recursive: { type: "boolean", default: true, summary: "" },
  yes: { type: "boolean", short: "y", summary: "" },
  verbose: { type: "boolean", short: "v", summary: "" },
} as const satisfies Options;

const given = (...words: string[]) => Object.fromEntries(scan(words, OPTIONS).given);

test("options are read in every spelling that people know", () => {
  const json = { output: ["json"] };
  assert.deepEqual(given("-o", "json"), json);
  assert.deepEqual(given("-ojson"), json);
  assert.deepEqual(given("-o=json"), json);
  assert.deepEqual(given("--output", "json"), json);
  assert.deepEqual(given("--output=json"), json);
  assert.deepEqual(given("-yv"), { yes: ["true"], verbose: ["true"] });
  assert.deepEqual(given("--auth-url", "x"), { issuer: ["x"] });
  assert.deepEqual(given("--scope", "a", "--scope=b"), { scope: ["a", "b"] });
});

test("booleans are switched off by --no- and =false", () => {
  assert.deepEqual(given("--no-recursive"), { recursive: ["false"] });
  assert.deepEqual(given("--recursive=false"), { recursive: ["false"] });
  assert.deepEqual(given("--no-recursive=false"), { recursive: ["true"] });
  assert.throws(() => given("--yes=perhaps"), { message: "--yes takes no value" });
});

test("words that are no options are arguments, and all are after --", () => {
  assert.deepEqual(scan(["a", "-y", "b"], OPTIONS).positionals, ["a", "b"]);
  assert.deepEqual(scan(["--", "-y", "--nope"], OPTIONS).positionals, ["-y", "--nope"]);
  assert.deepEqual(scan(["-"], OPTIONS).positionals, ["-"]);
});

test("unknown options and missing values are rejected by name", () => {
  for (const [words, message] of [
    [["--nope"], "unknown option --nope"],
    [["-x"], "unknown option -x"],
    [["--output"], "--output needs a value"],
    [["--issuer", "--yes"], "--issuer needs a value"],
    [["--constructor", "x"], "unknown option --constructor"],
  ] as const) {
    assert.throws(
      () => scan(words, OPTIONS),
      (error) => error instanceof CommandError && error.message === message,
      message,
    );
  }
});

test("a value that begins with a hyphen is given with =", () => {
  assert.deepEqual(given("--issuer=-x"), { issuer: ["-x"] });
});
