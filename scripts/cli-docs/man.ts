import { type Entry, GLOBAL_ENTRIES, type Page } from "../../packages/cli/src/command/help.ts";
import { TOPICS } from "../../packages/cli/src/help/topics.ts";
import { type Chapter, chapters, ROOT_PAGE } from "./pages.ts";

/** The man pages by file name: wharf(1), and one per group of commands. */
export function manPages(): Map<string, string> {
  const all = chapters();
  const pages = all.map((chapter): [string, string] => [
    `${fileName(chapter.page)}.1`,
    chapterPage(chapter),
  ]);
  return new Map([["wharf.1", rootPage(all)], ...pages]);
}

function fileName({ name }: Page): string {
  return name.replaceAll(" ", "-");
}

function rootPage(all: readonly Chapter[]): string {
  return document([
    ...heading(ROOT_PAGE),
    ".SH SYNOPSIS",
    `.B ${roff(ROOT_PAGE.usage)}`,
    ".SH DESCRIPTION",
    ...paragraphs(ROOT_PAGE.paragraphs),
    ".SH COMMANDS",
    ...all.flatMap(({ page }) => entry({ term: page.name, meaning: `${page.summary}.` })),
    ".SH OPTIONS",
    ...GLOBAL_ENTRIES.flatMap(entry),
    ...TOPICS.flatMap(({ title, paragraphs: text }) => [
      `.SH ${title.toUpperCase()}`,
      ...paragraphs(text),
    ]),
    ".SH SEE ALSO",
    all.map(({ page }) => `.BR ${roff(fileName(page))} (1)`).join(",\n"),
  ]);
}

function chapterPage({ page, commands }: Chapter): string {
  const single = commands.length === 1 && commands[0]?.name === page.name;
  return document([
    ...heading(page),
    ".SH SYNOPSIS",
    ...commands.flatMap(({ usage }) => [`.B ${roff(usage)}`, ".br"]),
    ".SH DESCRIPTION",
    ...paragraphs(page.paragraphs.length > 0 ? page.paragraphs : [`${page.summary}.`]),
    ...(single ? details(page) : commands.flatMap(section)),
    ".SH SEE ALSO",
    ".BR wharf (1)",
  ]);
}

function section(page: Page): string[] {
  const text = [`${page.summary}.`, ...page.paragraphs];
  return [`.SH ${roff(page.name.toUpperCase())}`, ...paragraphs(text), ...details(page)];
}

function details(page: Page): string[] {
  const inputs = [...page.arguments, ...page.options];
  return [
    ...inputs.flatMap(entry),
    ".PP",
    page.examples.length > 1 ? "Examples:" : "Example:",
    ...verbatim(
      page.examples.flatMap(({ command, shows }) => (shows ? [`# ${shows}`, command] : [command])),
    ),
  ];
}

/** Without date and version, so that a page only changes with its commands. */
function heading(page: Page): string[] {
  return [
    `.TH "${fileName(page).toUpperCase()}" 1 "" "wharf" "Wharf"`,
    ".SH NAME",
    `${roff(fileName(page))} \\- ${roff(page.summary)}`,
  ];
}

function entry({ term, meaning }: Entry): string[] {
  return [".TP", `.B ${roff(term)}`, roff(meaning)];
}

function paragraphs(all: readonly string[]): string[] {
  return all.flatMap((text) =>
    text.startsWith(" ") ? verbatim(text.split("\n")) : [".PP", roff(text.replaceAll("\n", " "))],
  );
}

function verbatim(lines: readonly string[]): string[] {
  return [".PP", ".nf", ".RS 4", ...lines.map(roff), ".RE", ".fi"];
}

/** Escapes text for roff: hyphens stay hyphens, and no line starts a request. */
function roff(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^([.'])/, "\\&$1");
}

function document(lines: readonly string[]): string {
  const head = '.\\" Generated from the command definitions by `npm run generate`.';
  // A section starts a paragraph and ends one.
  const text = [head, ...lines].join("\n").replace(/\.br\n(?=\.SH)/g, "");
  return `${text.replace(/(\.SH .*\n)\.PP\n/g, "$1")}\n`;
}
