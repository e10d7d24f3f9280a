import { usageError } from "../errors.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { harmless, harmlessLines } from "../terminal/width.ts";
import type { Arrangement } from "./arrange.ts";
import { type Column, messageWriter, shownText, textOf, toJson, toPlain } from "./columns.ts";
import type { Jq } from "./jq.ts";
import { sheet, type TreeOf, table, treeLines } from "./table.ts";

export interface ListOptions<T> {
  /** The restriction and order of the list; default: all items in their order. */
  readonly arrangement?: Arrangement;
  /** The value that `-o id` prints. Default: the UID. */
  readonly id?: (item: T) => string;
  /** The nesting of items for `-o tree`. Default: by UID, with the first column as label. */
  readonly tree?: Partial<TreeOf<T>>;
  /** Looks up the names that the default table shows for these items. */
  readonly lookUp?: (items: readonly T[]) => Promise<void>;
  /** The plural for the message of an empty list, such as "organizations". */
  readonly what?: string;
}

export type Items<T> = readonly T[] | AsyncIterable<T>;

/** Prints data on stdout in the requested format. */
export interface Output {
  /** The requested format, for commands with formats of their own. */
  readonly format: string;
  /** Prints a list. `csv` and `id` are streamed; other formats wait for the last item. */
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
  /** Prints JSON that is no resource, such as an entry of a stream, on one line if it is compact. */
  json(value: unknown, isCompact?: boolean): void;
  /** Prints text with a newline, such as a token or a script. */
  text(text: string): void;
}

export interface OutputOptions {
  readonly format: string;
  readonly jq: Jq | undefined;
  readonly terminal: Terminal;
  write(text: string): void;
  /** Prints text that is complete, with a pager if it is long. */
  show(text: string): Promise<void>;
  note(text: string): void;
}

export function outputTo(options: OutputOptions): Output {
  const { format, jq, terminal, write, show, note } = options;
  const lines = (all: readonly string[]) => show(all.map((line) => `${line}\n`).join(""));
  // Scripts get raw data; at a terminal, control characters are escaped.
  const safe = (text: string) => (terminal.isTTY ? harmlessLines(text) : text);
  const jsonText = (value: unknown, isCompact = false) =>
    safe(jq === undefined ? `${toJson(value, isCompact ? undefined : 2)}\n` : jq(value));

  async function list<T extends object>(
    source: Items<T>,
    columns: readonly Column<T>[],
    { id = uidOf, tree = {}, what = "items", arrangement, lookUp }: ListOptions<T> = {},
  ): Promise<void> {
    const items = await arrangedItems(source, columns, arrangement);
    if (format === "id" || format === "csv") {
      for await (const line of streamedLines(items, columns, id, format)) write(safe(line));
      return;
    }
    const all = await Array.fromAsync<T>(items);
    if (format === "json") return show(jsonText({ items: await plain(all) }));
    if (format === "yaml") return show(safe(await toYaml({ items: await plain(all) })));
    if (all.length === 0) return note(`no ${what}`);
    if (format === "tree") {
      const label = (item: T) => textOf(columns[0]?.value(item));
      const whole = { id, label, ...tree };
      return lines(treeLines(all, { ...whole, label: (item) => harmless(whole.label(item)) }));
    }
    if (format !== "table" && format !== "wide") throw unknownFormat(format);
    if (format === "table") await lookUp?.(all);
    await lines(tableLines(all, columns, format, terminal));
  }

  async function one<T extends object>(
    item: T,
    columns: readonly Column<T>[],
    options: ListOptions<T> = {},
  ): Promise<void> {
    if (format === "id" || format === "csv" || format === "tree") {
      return list([item], columns, options);
    }
    if (format === "json") return show(jsonText(await plain(item)));
    if (format === "yaml") return show(safe(await toYaml(await plain(item))));
    if (format !== "table" && format !== "wide") throw unknownFormat(format);
    const fields = columns.map(
      ({ header, value }) => [sentence(header), textOf(value(item))] as const,
    );
    const known = fields.filter(([, text]) => text !== "");
    await lines(sheet(known, terminal.style));
  }

  return {
    format,
    list,
    one,
    json: (value, isCompact) => write(jsonText(value, isCompact)),
    text: (text) => write(`${text}\n`),
  };
}

/** The lines of items as they come, in formats that do not need all of them first. */
async function* streamedLines<T extends object>(
  items: Items<T>,
  columns: readonly Column<T>[],
  id: (item: T) => string,
  format: "id" | "csv",
): AsyncGenerator<string> {
  if (format === "csv") yield csvLine(headersOf(columns));
  for await (const item of items) {
    if (format === "id") yield `${id(item)}\n`;
    else yield csvLine(rowOf(item, columns));
  }
}

/** A table of all columns (`wide`), or of those that people need most, as wide as the terminal. */
function tableLines<T>(
  items: readonly T[],
  columns: readonly Column<T>[],
  format: "table" | "wide",
  { isTTY, width, style }: Terminal,
): string[] {
  const isWide = format === "wide";
  const shown = isWide ? columns : columns.filter(({ wide }) => !wide);
  const now = Date.now();
  // Ages are for people; scripts, and who asks for everything, get times.
  const short = shown.map(({ value, short = value }) => short);
  const text = (value: unknown) => (isTTY ? shownText(value, now) : textOf(value));
  const cells = (item: T) =>
    isWide ? rowOf(item, shown) : short.map((value) => text(value(item)));
  const whole = shown.map((column) => column.whole === true);
  const styles = items.map((item) => shown.map((column) => column.style?.(item)));
  const available = isWide ? undefined : width;
  return table(headersOf(shown), items.map(cells), available, style, whole, styles);
}

function headersOf<T>(columns: readonly Column<T>[]): string[] {
  return columns.map(({ header }) => header.toUpperCase());
}

function rowOf<T>(item: T, columns: readonly Column<T>[]): string[] {
  return columns.map(({ value }) => textOf(value(item)));
}

/** Loads what filters and sorts on demand: most lists are printed as they come. */
async function arrangedItems<T extends object>(
  items: Items<T>,
  columns: readonly Column<T>[],
  arrangement: Arrangement | undefined,
): Promise<Items<T>> {
  const { sort, filter = [], limit } = arrangement ?? {};
  if (arrangement === undefined) return items;
  if (sort === undefined && filter.length === 0 && limit === undefined) return items;
  const { arrange } = await import("./arrange.ts");
  return arrange(items, columns, arrangement);
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
