import { type Style, styleOf } from "../terminal/terminal.ts";
import { pad, widthOf, wrap } from "../terminal/width.ts";
import type { Example, Node } from "./definition.ts";
import { type Entry, type Page, pageOf } from "./page.ts";

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
