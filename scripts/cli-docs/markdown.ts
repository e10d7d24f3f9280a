import type { Example } from "../../packages/cli/src/command/definition.ts";
import { type Entry, GLOBAL_ENTRIES, type Page } from "../../packages/cli/src/command/help.ts";
import { TOPICS } from "../../packages/cli/src/help/topics.ts";
import { type Chapter, chapters, ROOT_PAGE } from "./pages.ts";

/** docs/cli.md: all commands on one page. */
export function markdown(): string {
  const parts = [
    "# CLI reference",
    "<!-- Generated from the command definitions by `npm run generate`. -->",
    ...paragraphs(ROOT_PAGE.paragraphs),
    "## Global options",
    "`wharf serve` and `wharf admin` take the settings of the server instead.",
    entries(GLOBAL_ENTRIES),
    ...TOPICS.flatMap(({ title, paragraphs: text }) => [`## ${title}`, ...paragraphs(text)]),
    ...chapters().flatMap(chapter),
  ];
  return `${parts.join("\n\n")}\n`;
}

function chapter({ page, commands }: Chapter): string[] {
  if (commands.length === 1 && commands[0]?.name === page.name) return command(page, "##");
  return [
    `## ${page.name}`,
    `${page.summary}.${aliases(page)}`,
    ...paragraphs(page.paragraphs),
    ...commands.flatMap((each) => command(each, "###")),
  ];
}

function command(page: Page, level: string): string[] {
  return [
    `${level} ${page.name}`,
    `${page.summary}.${aliases(page)}`,
    ...paragraphs(page.paragraphs),
    fenced([page.usage]),
    ...(page.arguments.length > 0 ? [entries(page.arguments)] : []),
    ...(page.options.length > 0 ? [entries(page.options)] : []),
    `Example${page.examples.length > 1 ? "s" : ""}:`,
    fenced(page.examples.flatMap(exampleLines)),
  ];
}

function aliases({ aliases: others }: Page): string {
  return others.length === 0 ? "" : ` Aliases: ${others.map((name) => `\`${name}\``).join(", ")}.`;
}

function exampleLines({ command: line, shows }: Example): string[] {
  return shows === undefined ? [line] : [`# ${shows}`, line];
}

function entries(all: readonly Entry[]): string {
  const rows = all.map(({ term, meaning }) => `| ${cell(`\`${term}\``)} | ${cell(meaning)} |`);
  return ["| | |", "|---|---|", ...rows].join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

/** Indented paragraphs, such as lists of keys, become code blocks. */
function paragraphs(all: readonly string[]): string[] {
  return all.map((text) => {
    if (!text.startsWith(" ")) return text.replaceAll("\n", " ");
    return fenced(text.split("\n").map((line) => line.slice(2)));
  });
}

function fenced(lines: readonly string[]): string {
  return ["```", ...lines, "```"].join("\n");
}
