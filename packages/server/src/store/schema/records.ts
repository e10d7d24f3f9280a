import type { Reader, Writer } from "../db/connection.ts";
import { translateTypes } from "./statements.ts";

/** The last step that was applied to a store. */
export interface Records {
  /** 0 if there is none. */
  readonly step: number;
  /** The version of Wharf that applied it; empty for versions that did not record it. */
  readonly version: string;
  /** Position in the statements that follow its transaction; empty when it is finished. */
  readonly pending: string;
}

/** Reads the record of the last step; undefined where a store has none yet, or those of an earlier version. */
export async function readRecords(reader: Reader): Promise<Records | undefined> {
  try {
    const sql = "SELECT step, version, pending FROM migrations ORDER BY step DESC LIMIT 1";
    return (await reader.get<Records>(sql)) ?? { step: 0, version: "", pending: "" };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
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

/** Gives the records of the earliest versions the columns that they lack. */
export async function upgradeRecords(writer: Writer): Promise<void> {
  for (const column of ["version TEXT", "time INTEGER", "pending TEXT"]) {
    const initial = column.endsWith("INTEGER") ? "0" : "''";
    const sql = `ALTER TABLE migrations ADD COLUMN ${column} NOT NULL DEFAULT ${initial}`;
    await writer.run(translateTypes(sql, writer.dialect));
  }
}

export async function recordStep(
  writer: Writer,
  step: number,
  { version, pending }: Pick<Records, "version" | "pending">,
): Promise<void> {
  const sql = "INSERT INTO migrations (step, version, time, pending) VALUES (?, ?, ?, ?)";
  await writer.run(sql, step, version, Date.now(), pending);
}

/** Records where to go on with a step; empty when it is finished. */
export async function recordPending(writer: Writer, step: number, pending: string): Promise<void> {
  await writer.run("UPDATE migrations SET pending = ? WHERE step = ?", pending, step);
}
