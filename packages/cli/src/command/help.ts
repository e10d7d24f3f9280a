import { type Style, styleOf } from "../terminal/terminal.ts";
import { pad, widthOf, wrap } from "../terminal/width.ts";
import type { Command, Example, Group, Node, Option, Options } from "./definition.ts";
import { nameOf } from "./find.ts";
import { GLOBALS } from "./globals.ts";
import { shownArgument, usageOf, valueName } from "./parse.ts";

/** Longer lines are hard to read, however wide the terminal. */
const MAX_WIDTH = 100;
const MIN_WIDTH = 40;
/** Wider terms have their meaning on the next line. */
const MAX_TERM_WIDTH = 28;

/** The help of a command or group, wrapped to the terminal. */
export function helpText(
  path: readonly Node[],
  { width = MAX_WIDTH, style = styleOf(false) }: { width?: number | undefined; style?: Style },
): string {
  return helpOf(pageOf(path), Math.max(MIN_WIDTH, Math.min(width, MAX_WIDTH)), style);
}

function helpOf(page: Page, width: number, style: Style): string {
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ["", style.bold(`${title}:`), ...lines];
  const list = (entries: readonly Entry[]) => entryLines(entries, width);
  const aliases = page.aliases.length > 0 ? [`  ${page.aliases.join(", ")}`] : [];
  return [
    ...wrap(`${page.name}: ${page.summary}`, width),
    ...section("Usage", [`  ${page.usage}`]),
    ...section("Aliases", aliases),
    ...page.paragraphs.flatMap((text) => ["", ...paragraph(text, width)]),
    ...section("Commands", list(page.commands)),
    ...section("Arguments", list(page.arguments)),
    ...section("Options", list(page.options)),
    ...section("Settings of the server", list(page.settings)),
    ...section("Global options", list(page.globals)),
    ...section("Examples", exampleLines(page.examples, style)),
  ].join("\n");
}

/** Indented lines, such as lists, are not wrapped. */
function paragraph(text: string, width: number): string[] {
  return /^\s/.test(text) ? text.split("\n") : wrap(text, width);
}

function entryLines(entries: readonly Entry[], width: number): string[] {
  const column =
    Math.min(MAX_TERM_WIDTH, Math.max(0, ...entries.map(({ term }) => widthOf(term)))) + 4;
  return entries.flatMap(({ term, meaning }) => {
    const lines = wrap(meaning, Math.max(20, width - column));
    const rest = lines.map((line) => " ".repeat(column) + line);
    if (widthOf(term) + 4 > column) return [`  ${term}`, ...rest];
    return [`${pad(`  ${term}`, column)}${lines[0] ?? ""}`.trimEnd(), ...rest.slice(1)];
  });
}

function exampleLines(examples: readonly Example[], style: Style): string[] {
  return examples.flatMap(({ command, shows }) => [
    ...(shows === undefined ? [] : [`  ${style.dim(`# ${shows}`)}`]),
    `  ${command}`,
  ]);
}

/** A term and its meaning. */
export interface Entry {
  readonly term: string;
  readonly meaning: string;
}

/** The content of help, man pages and docs/cli.md for a command or group. */
export interface Page {
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
  readonly aliases: readonly string[];
  readonly paragraphs: readonly string[];
  readonly commands: readonly Entry[];
  readonly arguments: readonly Entry[];
  readonly options: readonly Entry[];
  /** Settings of the server that a command of operators takes besides its options. */
  readonly settings: readonly Entry[];
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
    settings: [],
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
  const named = (isListed: (entry: [string, Option]) => boolean): Options =>
    Object.fromEntries(Object.entries(own).filter(isListed));
  // The settings are all that the server itself takes.
  const isServer = node.name === "serve";
  const globals = Object.entries({ ...GLOBALS, output }).filter(
    ([name]) => !Object.hasOwn(own, name),
  );
  return {
    commands: [],
    arguments: (node.arguments ?? []).map(({ name, summary, variadic }) => ({
      term: `${shownArgument(name)}${variadic ? "…" : ""}`,
      meaning: summary,
    })),
    options: optionEntries(named(([, { ofServer }]) => isServer || !ofServer)),
    settings: optionEntries(named(([, { ofServer }]) => !isServer && ofServer === true)),
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

/** Whether a boolean defaults to true, so that only --no-… is useful. */
function isOn(option: Option): boolean {
  return option.type === "boolean" && option.default === true;
}

/** The summary, then choices, default, environment variable and config key. */
function optionMeaning(option: Option): string {
  const choices = option.type === "choice" ? `: ${option.choices.join(", ")}` : "";
  const fallback = "default" in option && !["", true, undefined].includes(option.default as string);
  const sources = [option.env, option.config].filter((source) => source !== undefined);
  return [
    `${option.summary}${choices}`,
    option.required ? " (required)" : "",
    option.type === "list" ? ` (repeatable${option.repeatOnly ? "" : " or comma-separated"})` : "",
    fallback ? ` [${option.default}]` : "",
    sources.length > 0 ? ` (${sources.join(", ")})` : "",
  ].join("");
}
