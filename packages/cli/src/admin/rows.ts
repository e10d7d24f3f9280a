import { ConfigError, readSettings, type Settings } from "@wharf/server/config/settings.ts";
import { table } from "../output/table.ts";
import { terminalOf } from "../terminal/terminal.ts";
import { splitWords } from "./words.ts";

/** The conversion of rows to a table. */
export interface RowFormat<T> {
  readonly header: readonly string[];
  readonly row: (item: T) => string[];
}

/** Prints what an admin command has found in the store, as a table or as JSON (`--output`). */
export async function printRows<T>(
  words: readonly string[],
  read: (settings: Settings) => Promise<readonly T[]>,
  { header, row }: RowFormat<T>,
): Promise<void> {
  const { values, settings } = splitWords(words, { values: ["output"] });
  const output = values.get("output") ?? "table";
  if (output !== "table" && output !== "json")
    throw new ConfigError(`--output must be table or json; got ${JSON.stringify(output)}`);
  const items = await read(await readSettings(settings, process.env));
  if (output === "json") {
    console.log(JSON.stringify(items, undefined, 2));
    return;
  }
  const { style, width } = terminalOf(process, process.env, "auto");
  console.log(table([...header], items.map(row), width, style).join("\n"));
}
