import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Group, Node, Options } from "./command/definition.ts";
import { commandsOf, find, nameOf } from "./command/find.ts";
import { GLOBALS } from "./command/globals.ts";
import { helpText, pageOf } from "./command/help.ts";
import { scan } from "./command/scan.ts";
import { widthOf } from "./terminal/width.ts";
import { tree } from "./tree.ts";

const commands = [...commandsOf(tree)].map(({ path, command }) => ({
  path,
  command,
  name: nameOf(path),
}));

test("every command has an example that names a command which exists", () => {
  for (const { name, path, command } of commands) {
    assert.match(helpText(path, {}), /\nExamples:\n/, name);
    const own = command.examples.filter(({ command: line }) => line.includes("wharf"));
    assert.equal(own.length, command.examples.length, name);
    for (const { command: line } of command.examples) {
      const words = line.slice(line.indexOf("wharf ") + 6).split(/[ )]/);
      if (line.includes("wharf -")) continue;
      const found = find(tree, words.slice(0, path.length - 1));
      assert.equal(nameOf(found.path), name, line);
    }
  }
});

test("examples give what their command requires, and nothing that it does not take", () => {
  const ofShell = /\$\([^)]*\)|"[^"]*"|'[^']*'|[^\s|<>()"']+|[|<>()]/g;
  for (const { name, command } of commands) {
    if (command.raw) continue;
    const options: Options = { ...GLOBALS, ...command.options };
    for (const { command: line } of command.examples) {
      // The part of the line that is this command: without those before it, and files.
      const start = line.indexOf(name.split(" ").slice(0, 2).join(" "));
      const words = [...line.slice(start).matchAll(ofShell)].map(([word]) => word);
      const end = words.findIndex((word) => /^[|<>()]$/.test(word));
      const { words: own } = find(tree, (end < 0 ? words : words.slice(0, end)).slice(1));
      const { given, positionals } = scan(own, options);
      for (const [option, { required, config, choices }] of Object.entries<Checked>(options)) {
        assert.ok(
          !required || given.has(option) || config === "default.group",
          `${line}: ${option}`,
        );
        for (const value of choices === undefined ? [] : (given.get(option) ?? [])) {
          const all = [...(choices ?? []), ...(command.outputs ?? [])];
          assert.ok(all.includes(value), `${line}: ${value}`);
        }
      }
      const wanted = command.arguments ?? [];
      const least = wanted.filter(({ required }) => required).length;
      assert.ok(positionals.length >= least, line);
      assert.ok(positionals.length <= wanted.length || wanted.at(-1)?.variadic, line);
    }
  }
});

interface Checked {
  readonly required?: boolean;
  readonly config?: string;
  readonly choices?: readonly string[];
}

test("docs/cli.md has every option of every command", () => {
  const text = readFileSync(new URL("../../../docs/cli.md", import.meta.url), "utf8");
  const sections = new Map(
    text
      .split(/^#+ (?=wharf )/m)
      .map((section) => [section.slice(0, section.indexOf("\n")), section]),
  );
  // The settings of the server are in the section of `wharf serve` only.
  for (const { name, path } of commands.filter(({ command }) => !command.raw)) {
    for (const { term } of pageOf(path).options) {
      assert.ok(sections.get(name)?.includes(`| \`${term}\` |`), `${name}: ${term}`);
    }
  }
});

test("every list can be sorted, filtered and limited", () => {
  const lists = commands.filter(
    ({ command }) => !command.raw && (command.name === "list" || /^List /.test(command.summary)),
  );
  assert.ok(lists.length > 20);
  for (const { name, command } of lists) {
    for (const option of ["sort", "filter", "limit"])
      assert.ok(option in (command.options ?? {}), name);
  }
});

test("summaries are one capitalized line without a full stop", () => {
  const check = (node: Node) => {
    assert.match(node.summary, /^[A-Z][^\n]*[^.\n]$/, node.name);
    if (node.kind === "group") node.commands.forEach(check);
  };
  check(tree);
});

/** Claims have the same option names everywhere; the settings of the same name come from variables and config. */
const SHARED = ["issuer", "audience"];

test("no command redefines a global option or a name", () => {
  for (const { name, command } of commands) {
    const options = command.options as Options | undefined;
    const taken = Object.keys(GLOBALS).filter((each) => !SHARED.includes(each));
    const shorts = Object.values(GLOBALS).flatMap((option) =>
      "short" in option ? option.short : [],
    );
    const own = Object.keys(options ?? {});
    // A raw command has none of the options of every command.
    if (!command.raw) {
      assert.deepEqual(
        own.filter((each) => taken.includes(each)),
        [],
        name,
      );
      for (const { short } of Object.values(options ?? {})) {
        assert.ok(short === undefined || !shorts.includes(short as never), name);
      }
    }
    const names = [...own, ...(command.arguments ?? []).map((argument) => argument.name), "words"];
    assert.equal(new Set(names).size, names.length, name);
  }
});

test("siblings have names and aliases of their own", () => {
  const check = ({ commands: nodes, name }: Group) => {
    const names = nodes.flatMap((node) => [node.name, ...(node.aliases ?? [])]);
    assert.equal(new Set(names).size, names.length, name);
    for (const node of nodes) if (node.kind === "group") check(node);
  };
  check(tree);
});

test("help fits the terminal", () => {
  for (const { path, name } of commands) {
    for (const line of helpText(path, { width: 60 }).split("\n")) {
      const breakable = /^\S|^ {4,}\S/.test(line) && line.trim().includes(" ");
      if (breakable) assert.ok(widthOf(line) <= 60, `${name}: ${line}`);
    }
  }
});

test("options can precede the command", () => {
  const { path, words } = find(tree, ["-o", "json", "iam", "--yes", "orgs", "ls", "-q"]);
  assert.equal(nameOf(path), "wharf iam organizations list");
  assert.deepEqual(words, ["-o", "json", "--yes", "-q"]);
});

test("a word that names no command of a group goes to its fallback", () => {
  const generic = "wharf iam identities create generic";
  const create = ["iam", "identities", "create"];
  for (const [words, name, rest] of [
    [["ci", "--role", "github"], generic, ["ci", "--role", "github"]],
    [["--role", "github", "ci"], generic, ["--role", "github", "ci"]],
    [["-o", "json", "github"], "wharf iam identities create github", ["-o", "json"]],
    [["-o", "json", "-f", "x"], generic, ["-o", "json", "-f", "x"]],
    [["--help"], "wharf iam identities create", ["--help"]],
  ] as const) {
    const found = find(tree, [...create, ...words]);
    assert.equal(nameOf(found.path), name);
    assert.deepEqual(found.words, rest);
  }
});

test("definitions load no code of commands", () => {
  const script = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({
      load(url, context, next) {
        loaded.push(url);
        return next(url, context);
      },
    });
    await import(${JSON.stringify(new URL("tree.ts", import.meta.url).href)});
    console.log(loaded.join("\\n"));`;
  const args = ["--input-type=module", "--eval", script];
  const loaded = execFileSync(process.execPath, args, { encoding: "utf8" }).trim().split("\n");
  assert.ok(loaded.some((url) => url.endsWith("/iam/roles/commands.ts")));
  const code = loaded.filter((url) => /\/run\.ts$|\/packages\/(client|contract)\//.test(url));
  assert.deepEqual(code, []);
});
