import { usageError } from "../errors.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { harmless, harmlessLines } from "../terminal/width.ts";
import { type Column, messageWriter, shownText, textOf, toJson, toPlain } from "./columns.ts";
import { sheet, type TreeOf, table, treeLines } from "./table.ts";
import type { Template } from "./template/template.ts";

export interface ListOptions<T> {
  /** What `-o id` prints. Default: the UID. */
  readonly id?: (item: T) => string;
  /** How `-o tree` nests items. Default: by UID, with the first column as label. */
  readonly tree?: Partial<TreeOf<T>>;
  /** The plural for the message of an empty list, such as "organizations". */
  readonly what?: string;
}

export type Items<T> = readonly T[] | AsyncIterable<T>;

/** Prints data on stdout in the requested format. */
export interface Output {
  /** The requested format, for commands with formats of their own. */
  readonly format: string;
  /** Prints a list. `csv`, `id` and templates are streamed; other formats wait for the last item. */
  list<T extends object>(
    items: Items<T>,
    columns: readonly Column<T>[],
    options?: ListOptions<T>,
  ): Promise<void>;
  /** Prints a single item. */
  one<T extends object>(
    item: T,
    columns: readonly Column<T>[],
    options?: ListOptions<T>,
  ): Promise<void>;
  /** Prints text with a newline, such as a token or a script. */
  text(text: string): void;
}

export interface OutputOptions {
  readonly format: string;
  readonly template: Template | undefined;
  readonly terminal: Terminal;
  write(text: string): void;
  note(text: string): void;
}

export function outputTo({ format, template, terminal, write, note }: OutputOptions): Output {
  const lines = (all: readonly string[]) => write(all.map((line) => `${line}\n`).join(""));
  const { style } = terminal;
  // Scripts get raw data; at a terminal, control characters are escaped.
  const data = (text: string) => write(terminal.isTTY ? harmlessLines(text) : text);

  async function list<T extends object>(
    items: Items<T>,
    columns: readonly Column<T>[],
    { id = uidOf, tree = {}, what = "items" }: ListOptions<T> = {},
  ): Promise<void> {
    const row = (item: T, of = columns) => of.map(({ value }) => textOf(value(item)));
    const headers = (of: readonly Column<T>[]) => of.map(({ header }) => header.toUpperCase());
    if (template !== undefined) {
      for await (const item of items) data(`${template(await plain(item))}\n`);
      return;
    }
    if (format === "id") {
      for await (const item of items) data(`${id(item)}\n`);
      return;
    }
    if (format === "csv") {
      data(csvLine(headers(columns)));
      for await (const item of items) data(csvLine(row(item)));
      return;
    }
    const all = await Array.fromAsync<T>(items);
    if (format === "json") return data(`${toJson({ items: await plain(all) }, 2)}\n`);
    if (format === "yaml") return data(await toYaml({ items: await plain(all) }));
    if (all.length === 0) return note(`no ${what}`);
    if (format === "tree") {
      const label = (item: T) => textOf(columns[0]?.value(item));
      const whole = { id, label, ...tree };
      return lines(treeLines(all, { ...whole, label: (item) => harmless(whole.label(item)) }));
    }
    if (format !== "table" && format !== "wide") throw unknownFormat(format);
    const shown = format === "wide" ? columns : columns.filter(({ wide }) => !wide);
    const width = format === "wide" ? undefined : terminal.width;
    const now = Date.now();
    // Ages are for people; scripts, and who asks for everything, get times.
    const hasAges = terminal.isTTY && format === "table";
    const cells = (item: T) =>
      hasAges ? shown.map(({ value }) => shownText(value(item), now)) : row(item, shown);
    const whole = shown.map((column) => column.whole === true);
    lines(table(headers(shown), all.map(cells), width, style, whole));
  }

  async function one<T extends object>(
    item: T,
    columns: readonly Column<T>[],
    options: ListOptions<T> = {},
  ): Promise<void> {
    if (template !== undefined || format === "id" || format === "csv" || format === "tree") {
      return list([item], columns, options);
    }
    if (format === "json") return data(`${toJson(await plain(item), 2)}\n`);
    if (format === "yaml") return data(await toYaml(await plain(item)));
    if (format !== "table" && format !== "wide") throw unknownFormat(format);
    const fields = columns.map(
      ({ header, value }) => [sentence(header), textOf(value(item))] as const,
    );
    lines(
      sheet(
        fields.filter(([, text]) => text !== ""),
        style,
      ),
    );
  }

  return { format, list, one, text: (text) => write(`${text}\n`) };
}

async function plain(value: object): Promise<object> {
  return toPlain(value, await messageWriter()) as object;
}

function uidOf(item: object): string {
  return textOf((item as { uid?: string }).uid);
}

function unknownFormat(format: string): Error {
  return usageError(`this command does not support -o ${format}`);
}

/** `CREATE TIME` → `Create time`; acronyms such as UID stay. */
function sentence(header: string): string {
  if (header.length <= 3) return header.toUpperCase();
  return header.slice(0, 1).toUpperCase() + header.slice(1).toLowerCase();
}

/** Converts to JSON first, so that 64-bit numbers and times are the same in both. */
async function toYaml(value: unknown): Promise<string> {
  const { stringify } = await import("yaml");
  return stringify(JSON.parse(toJson(value)), { lineWidth: 0 });
}

/** A line of RFC 4180. */
function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

function csvCell(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
