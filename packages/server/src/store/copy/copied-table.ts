import type { Reader, Value } from "../db/connection.ts";
import { readSchema } from "../schema/read-schema.ts";

/** A table whose rows are copied from one store to another. */
export interface CopiedTable {
  readonly name: string;
  /** By name, so that stores with another history have the same order. */
  readonly columns: readonly CopiedColumn[];
  /** The columns of the primary key: rows are copied in its order. */
  readonly key: readonly string[];
}

export interface CopiedColumn {
  readonly name: string;
  readonly kind: ColumnKind;
}

export type ColumnKind = "text" | "integer" | "blob";

/** Tables of a process or connection, which have no meaning elsewhere. */
const OWN_TO_SERVERS: ReadonlySet<string> = new Set(["commit_markers", "store_probes"]);

const KEYS = {
  sqlite: `
    SELECT t.name AS table_name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c
    WHERE t.type = 'table' AND c.pk > 0 ORDER BY t.name, c.pk`,
  postgres: `
    SELECT t.relname AS table_name, a.attname AS name
    FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid,
      unnest(i.indkey) WITH ORDINALITY AS k(number, at) JOIN pg_attribute a ON a.attnum = k.number
    WHERE i.indisprimary AND t.relnamespace = current_schema()::regnamespace AND a.attrelid = t.oid
    ORDER BY t.relname, k.at`,
};

/** The tables of a store that are copied; `own` are the names that may be ours. */
export async function copiedTables(
  reader: Reader,
  own: ReadonlySet<string>,
): Promise<CopiedTable[]> {
  const schema = await readSchema(reader);
  const keys = Map.groupBy(
    await reader.all<{ table_name: string; name: string }>(KEYS[reader.dialect.name]),
    (row) => row.table_name,
  );
  return [...schema]
    .filter(([name]) => own.has(name) && !OWN_TO_SERVERS.has(name))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, { columns }]) => ({
      name,
      columns: [...columns]
        .map(([column, { type }]) => ({ name: column, kind: kindOf(type) }))
        .sort((one, other) => (one.name < other.name ? -1 : 1)),
      key: (keys.get(name) ?? []).map((row) => row.name),
    }));
}

function kindOf(type: string): ColumnKind {
  if (/^text/i.test(type)) return "text";
  if (/^(integer|bigint)/i.test(type)) return "integer";
  if (/^(blob|bytea)/i.test(type)) return "blob";
  throw new Error(`columns of type ${type} cannot be copied`);
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Reads all rows of a table, in the order of its key. */
export function selectRows({ name, columns, key }: CopiedTable): string {
  const order = (key.length > 0 ? key : columns.map((column) => column.name)).map(quoted);
  const selected = columns.map((column) => quoted(column.name)).join(", ");
  return `SELECT ${selected} FROM ${quoted(name)} ORDER BY ${order.join(", ")}`;
}

export async function countRows(reader: Reader, { name }: CopiedTable): Promise<number> {
  const row = await reader.get<{ rows: number }>(`SELECT count(*) AS rows FROM ${quoted(name)}`);
  return row?.rows ?? 0;
}

/** A row as text, the same for both databases. */
export function rowText(row: readonly Value[]): string {
  return JSON.stringify(
    row.map((value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value,
    ),
  );
}

/** Reads a row from its text. Throws if it has not the columns of the table. */
export function readRow({ name, columns }: CopiedTable, text: string): Value[] {
  const values = JSON.parse(text) as unknown[];
  const fits = Array.isArray(values) && values.length === columns.length;
  if (!fits) throw new Error(`a row of ${name} has other columns`);
  return columns.map(({ kind }, at) => {
    const value = values[at];
    if (value === null) return null;
    if (kind === "integer" && Number.isSafeInteger(value)) return value as number;
    if (kind === "text" && typeof value === "string") return value;
    if (kind === "blob" && typeof value === "string") return Buffer.from(value, "base64");
    throw new Error(`a row of ${name} has another type than its column`);
  });
}
