import assert from "node:assert/strict";
import { test } from "node:test";
import { Config } from "../config/file.ts";
import { define } from "./definition.ts";
import { optionValue, usageOf } from "./parse.ts";
import type { ArgsOf, Run } from "./types.ts";

const OUTPUT = {
  type: "choice",
  choices: ["table", "json", "yaml", "id"],
  env: "WHARF_OUTPUT",
  config: "default.output",
  default: "table",
  summary: "",
} as const;

test("a flag wins over a variable, a variable over the config file, that over the default", () => {
  const config = new Config("/x", new Map([["default.output", "id"]]));
  const environment = { WHARF_OUTPUT: "yaml" };
  const given = new Map([["output", ["json"]]]);
  const none = { given: new Map(), environment: {}, config: new Config("/x") };
  assert.equal(optionValue("output", OUTPUT, { given, environment, config }), "json");
  assert.equal(optionValue("output", OUTPUT, { ...none, environment, config }), "yaml");
  assert.equal(optionValue("output", OUTPUT, { ...none, config }), "id");
  assert.equal(optionValue("output", OUTPUT, none), "table");
});

test("an invalid value is reported with its source", () => {
  const none = { given: new Map(), environment: {}, config: new Config("/x") };
  const environment = { WHARF_OUTPUT: "xml" };
  assert.throws(
    () => optionValue("output", OUTPUT, { ...none, environment }),
    /^.*WHARF_OUTPUT must/,
  );
});

test("usage names what must be given", () => {
  const definition = define({
    name: "create",
    summary: "Create",
    examples: [{ command: "wharf create x" }],
    arguments: [
      { name: "name", summary: "", required: true },
      { name: "other-names", summary: "", variadic: true },
    ],
    options: {
      role: { type: "string", summary: "", required: true },
      "single-use": { type: "boolean", summary: "" },
      ttl: { type: "duration", summary: "", default: "7d" },
      mode: { type: "choice", choices: ["a", "b"], summary: "" },
      scope: { type: "list", summary: "" },
    },
  });
  const node = {
    ...definition,
    kind: "command",
    load: async () => ({ run: async () => {} }),
  } as const;
  assert.equal(usageOf([node]), "usage: create NAME [OTHER_NAMES…] --role ROLE [options]");

  // The rest is for the type checker: it fails when types are not those of the definition.
  const run: Run<typeof definition> = async (_context, args) => {
    const name: string = args.name;
    const others: readonly string[] = args.otherNames;
    const role: string = args.role;
    const once: boolean = args.singleUse;
    const seconds: number = args.ttl;
    const mode: "a" | "b" | undefined = args.mode;
    const scope: readonly string[] = args.scope;
    // @ts-expect-error: not in the definition.
    args.nonsense;
    return void [name, others, role, once, seconds, mode, scope];
  };
  const args: ArgsOf<readonly [], Record<never, never>> = { words: [] };
  assert.deepEqual([typeof run, args.words], ["function", []]);
});
