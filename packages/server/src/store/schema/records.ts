import type { Dialect, Reader, Writer } from "../db/connection.ts";
import { digestOf, type TableSchema } from "./table-schema.ts";

/**
 * What a store records of its schema: the steps that were applied, with the version that applied them and
 * the work that is left of the last one, and a digest of each table that is derived from a definition.
 */
export interface Records {
  /** The last step; 0 if there is none. */
  readonly step: number;
  /** The version of Wharf that applied it; empty for versions that did not record it. */
  readonly version: string;
  /** What is left to do of it (see PendingWork); empty when it is finished. */
  readonly pending: string;
  readonly digests: ReadonlyMap<string, string>;
}

const RECORDS = `
  SELECT * FROM (SELECT '' AS name, step, version, pending FROM migrations ORDER BY step DESC LIMIT 1) last
  UNION ALL SELECT name, 0, digest, '' FROM table_digests`;

/** Reads the records with one statement; undefined where a store has none yet, or those of an earlier version. */
export async function readRecords(reader: Reader): Promise<Records | undefined> {
  try {
    return recordsOf(await reader.all<RecordRow>(RECORDS));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

interface RecordRow {
  readonly name: string;
  readonly step: number;
  readonly version: string;
  readonly pending: string;
}

function recordsOf(rows: readonly RecordRow[]): Records {
  const last = rows.find(({ name }) => name === "");
  const { step = 0, version = "", pending = "" } = last ?? {};
  const digests = rows.filter((row) => row !== last).map((row) => [row.name, row.version] as const);
  return { step, version, pending, digests: new Map(digests) };
}

/** The last step in the records of any version. */
export async function lastStep(reader: Reader): Promise<number> {
  const sql = "SELECT max(step) AS step FROM migrations";
  return (await reader.get<{ step: number | null }>(sql))?.step ?? 0;
}

/** An applied step. */
export function readStep(
  reader: Reader,
  step: number,
): Promise<Pick<Records, "pending"> | undefined> {
  return reader.get("SELECT pending FROM migrations WHERE step = ?", step);
}

/** undefined_table and undefined_column; SQLITE_ERROR, which SQLite has for both. */
function isMissing(error: unknown): boolean {
  const { code, errcode } = error as { code?: string; errcode?: number };
  return code === "42P01" || code === "42703" || errcode === 1;
}

/** The columns that versions without records of their own lack. */
const COLUMNS = ({ text, integer }: Dialect) => [
  `version ${text} NOT NULL DEFAULT ''`,
  `time ${integer} NOT NULL DEFAULT 0`,
  `pending ${text} NOT NULL DEFAULT ''`,
];

const DIGESTS = ({ text }: Dialect) =>
  `CREATE TABLE table_digests (name ${text} PRIMARY KEY, digest ${text} NOT NULL)`;

/** The statements that create the tables of records. */
export function createRecords(dialect: Dialect): string[] {
  const columns = [`step ${dialect.integer} PRIMARY KEY`, ...COLUMNS(dialect)];
  return [`CREATE TABLE migrations (${columns.join(", ")})`, DIGESTS(dialect)];
}

/** The statements that give the records of earlier versions what they lack. */
export function upgradeRecords(dialect: Dialect): string[] {
  const columns = COLUMNS(dialect).map((column) => `ALTER TABLE migrations ADD COLUMN ${column}`);
  return [...columns, DIGESTS(dialect)];
}

export async function recordStep(
  writer: Writer,
  step: number,
  { version, pending }: Pick<Records, "version" | "pending">,
): Promise<void> {
  const sql = "INSERT INTO migrations (step, version, time, pending) VALUES (?, ?, ?, ?)";
  await writer.run(sql, step, version, Date.now(), pending);
}

/** Records the finished steps of a new store. */
export async function recordSteps(writer: Writer, count: number, version: string): Promise<void> {
  const { asInteger, tuples } = writer.dialect;
  const time = String(Date.now());
  const steps = Array.from({ length: count }, (_, at) => [String(at + 1), version, time]);
  await writer.run(
    `INSERT INTO migrations (step, version, time)
     SELECT ${asInteger("step")}, version, ${asInteger("time")}
     FROM (${tuples("step", "version", "time")}) given`,
    JSON.stringify(steps),
  );
}

/** Records that nothing is left to do of a step. */
export async function finishStep(writer: Writer, step: number): Promise<void> {
  await writer.run("UPDATE migrations SET pending = '' WHERE step = ?", step);
}

export async function recordDigests(writer: Writer, tables: readonly TableSchema[]): Promise<void> {
  if (tables.length === 0) return;
  await writer.run(
    `INSERT INTO table_digests (name, digest)
     SELECT name, digest FROM (${writer.dialect.tuples("name", "digest")}) given WHERE true
     ON CONFLICT (name) DO UPDATE SET digest = excluded.digest`,
    JSON.stringify(tables.map((table) => [table.name, digestOf(table)])),
  );
}
