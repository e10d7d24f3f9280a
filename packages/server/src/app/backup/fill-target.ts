import { ConfigError } from "../../config/settings.ts";
import { STORED_KEY } from "../../secrets/key.ts";
import { Secrets } from "../../secrets/secrets.ts";
import { type Conversion, conversionOf } from "../../store/copy/convert.ts";
import { type CopiedTable, copiedTables, quoted } from "../../store/copy/copied-table.ts";
import { type Definitions, isDefinition } from "../../store/copy/definitions.ts";
import { ContentDigest, contentOf, isSameContent } from "../../store/copy/digest.ts";
import type { Target } from "../../store/copy/target.ts";
import type { Dialect, Value } from "../../store/db/connection.ts";
import { readSchema } from "../../store/schema/read-schema.ts";
import { recordStep } from "../../store/schema/records.ts";
import { ownTables, schemaFor } from "./store-source.ts";

/** The number of rows copied so far, and of all. */
export type CopyProgress = (done: number, total: number) => void;

/** Content of the copy. */
export interface Content {
  readonly store: Dialect["name"];
  readonly step: number;
  readonly version: string;
  readonly tables: readonly CopiedTable[];
  readonly definitions: Definitions;
  readonly rows: number;
}

/** Rows of one table, in order; those of a table follow each other. */
export interface TableRows {
  readonly table: CopiedTable;
  readonly rows: readonly (readonly Value[])[];
}

export interface FillOptions {
  readonly progress: CopyProgress;
  readonly secretKey: Buffer;
  /** Whether the new store contains the key. */
  readonly storesKey: boolean;
}

/**
 * Builds a store from a copy, in a target that nobody sees yet, and compares every row with what was copied. Between
 * the two databases the schema is that of this version; otherwise it is the one of the copy, so that the next start
 * upgrades it.
 */
export async function fillTarget(
  target: Target,
  content: Content,
  batches: AsyncIterable<TableRows>,
  { progress, secretKey, storesKey }: FillOptions,
): Promise<void> {
  const { dialect } = target.reader;
  await mustBeEmpty(target);
  const isSame = content.store === dialect.name;
  await (isSame ? createAsCopied(target, content) : createAsKnown(target, content));
  const found = await copiedTables(target.reader, ownTables(dialect));
  const dialects = { from: content.store, to: dialect.name };
  const filled: { digest: ContentDigest; conversion: Conversion }[] = [];
  const conversions = new Map<string, { digest: ContentDigest; conversion: Conversion }>();
  for (const table of content.tables) {
    const created = found.find(({ name }) => name === table.name);
    const conversion = conversionOf(table, created, dialects);
    if (conversion === undefined) continue;
    const one = { conversion, digest: new ContentDigest(conversion.table) };
    conversions.set(table.name, one);
    filled.push(one);
  }
  let done = 0;
  for await (const { table, rows } of batches) {
    const one = conversions.get(table.name);
    done += rows.length;
    progress(done, content.rows);
    if (one === undefined || rows.length === 0) continue;
    const converted = rows.map((row) => one.conversion.convert(row));
    for (const row of converted) one.digest.add(row);
    await target.insert(one.conversion.table, converted);
  }
  if (isSame) await target.script(content.definitions.indexes);
  await target.continueNumbers(found, content.definitions.sequences);
  for (const { conversion, digest } of filled) {
    const written = digest.content();
    const stored = await contentOf(conversion.table, target.rows(conversion.table));
    if (!isSameContent(written, stored))
      throw new Error(
        `${stored.table} has ${stored.rows} rows instead of ${written.rows}, or others`,
      );
  }
  if (!(await new Secrets(secretKey).isKeyOf(target.reader)))
    throw new ConfigError("the secret key of the copy is not the one of its content");
  if (storesKey) {
    const sql = "INSERT INTO installation (name, value) VALUES (?, ?)";
    await target.writer.run(sql, STORED_KEY, secretKey.toString("base64url"));
  }
}

/** Whether a row is the secret key, which is never copied as a row. */
export function isStoredKey({ name, columns }: CopiedTable, row: readonly Value[]): boolean {
  return (
    name === "installation" &&
    row[columns.findIndex((column) => column.name === "name")] === STORED_KEY
  );
}

async function mustBeEmpty({ reader }: Target): Promise<void> {
  const own = ownTables(reader.dialect);
  const taken = [...(await readSchema(reader)).keys()].filter((name) => own.has(name));
  if (taken.length > 0)
    throw new ConfigError(
      `the database is not empty: it has the tables ${taken.slice(0, 3).join(", ")}; name an empty database`,
    );
}

async function createAsCopied(target: Target, { definitions }: Content): Promise<void> {
  const statements = [...definitions.tables, ...definitions.indexes];
  const other = statements.find((sql) => !isDefinition(sql));
  if (other !== undefined)
    throw new ConfigError(`the copy has a statement that defines no table: ${other.slice(0, 80)}`);
  await target.script(definitions.tables);
}

async function createAsKnown(target: Target, content: Content): Promise<void> {
  const { reader, writer } = target;
  const schema = schemaFor(reader.dialect);
  if (content.step !== schema.last)
    throw new ConfigError(
      `the copy is of wharf ${content.version}: between SQLite and PostgreSQL it can be moved by that version only; restore it into ${content.store}, start this version once to upgrade it, and run \`wharf admin migrate\``,
    );
  await target.script(schema.creation());
  // The rows that a store begins with are among those that are copied.
  for (const name of ownTables(reader.dialect))
    if ((await readSchema(reader)).has(name)) await writer.run(`DELETE FROM ${quoted(name)}`);
  await recordStep(writer, schema.last, { version: schema.version, pending: "" });
}
