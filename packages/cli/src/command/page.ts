import type { Command, Example, Group, Node, Option, Options } from "./definition.ts";
import { nameOf } from "./find.ts";
import { GLOBALS } from "./globals.ts";
import { shownArgument, usageOf, valueName } from "./parse.ts";

/** A word or two, and what they mean. */
export interface Entry {
  readonly term: string;
  readonly meaning: string;
}

/** What there is to say about a command or group, before it is help, a man page or Markdown. */
export interface Page {
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
  readonly aliases: readonly string[];
  readonly paragraphs: readonly string[];
  readonly commands: readonly Entry[];
  readonly arguments: readonly Entry[];
  readonly options: readonly Entry[];
  readonly globals: readonly Entry[];
  readonly examples: readonly Example[];
}

export function pageOf(path: readonly Node[]): Page {
  const node = path.at(-1) as Node;
  const common = {
    name: nameOf(path),
    summary: node.summary,
    usage: usageOf(path).replace("usage: ", ""),
    aliases: node.aliases ?? [],
    paragraphs: (node.description ?? "").split(/\n\s*\n/).filter(Boolean),
  };
  return { ...common, ...(node.kind === "group" ? groupParts(node) : commandParts(node)) };
}

export const GLOBAL_ENTRIES: readonly Entry[] = optionEntries(GLOBALS);

function groupParts(node: Group) {
  const shown = node.commands.filter(({ hidden }) => !hidden);
  return {
    commands: shown.map(({ name, summary }) => ({ term: name, meaning: summary })),
    arguments: [],
    options: [],
    globals: [],
    examples: shown.flatMap(firstExample).slice(0, 3),
  };
}

function firstExample(node: Node): Example[] {
  if (node.kind === "command") return [node.examples[0]];
  return node.commands.flatMap(firstExample).slice(0, 1);
}

function commandParts(node: Command) {
  const own = (node.options ?? {}) as Options;
  const output = {
    ...GLOBALS.output,
    choices: [...GLOBALS.output.choices, ...(node.outputs ?? [])],
  };
  const globals = Object.entries({ ...GLOBALS, output }).filter(
    ([name]) => !Object.hasOwn(own, name),
  );
  return {
    commands: [],
    arguments: (node.arguments ?? []).map(({ name, summary, variadic }) => ({
      term: `${shownArgument(name)}${variadic ? "…" : ""}`,
      meaning: summary,
    })),
    options: optionEntries(own),
    globals: node.raw ? [] : optionEntries(Object.fromEntries(globals)),
    examples: node.examples,
  };
}

function optionEntries(options: Options): Entry[] {
  return Object.entries(options)
    .filter(([, { hidden }]) => !hidden)
    .map(([name, option]) => ({ term: optionTerm(name, option), meaning: optionMeaning(option) }));
}

function optionTerm(name: string, option: Option): string {
  const names = [
    ...(option.short === undefined ? [] : [`-${option.short}`]),
    `--${isOn(option) ? "[no-]" : ""}${name}`,
    ...(option.aliases ?? []).map((alias) => `--${alias}`),
  ];
  const value = option.type === "boolean" ? "" : ` ${valueName(name, option)}`;
  return `${names.join(", ")}${value}`;
}

/** What is on unless it is switched off. */
function isOn(option: Option): boolean {
  return option.type === "boolean" && option.default === true;
}

/** The summary, then what can be given, what is taken otherwise, and where else it can come from. */
function optionMeaning(option: Option): string {
  const choices = option.type === "choice" ? `: ${option.choices.join(", ")}` : "";
  const fallback = "default" in option && !["", true, undefined].includes(option.default as string);
  const places = [option.env, option.config].filter((place) => place !== undefined);
  return [
    `${option.summary}${choices}`,
    option.required ? " (required)" : "",
    option.type === "list" ? ` (repeat it${option.whole ? "" : ", or separate by commas"})` : "",
    fallback ? ` [${option.default}]` : "",
    places.length > 0 ? ` (${places.join(", ")})` : "",
  ].join("");
}
