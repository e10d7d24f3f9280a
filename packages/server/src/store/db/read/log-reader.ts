import type { Reader } from "../connection.ts";

/** Entries of a log that a search visits within a millisecond. */
export const FEW_ENTRIES = 1_000;

/** The reader for searches of a log, a table with ascending ids: they may visit all of it, whatever they find. */
export async function logReader(reader: Reader, table: "audit" | "events"): Promise<Reader> {
  const { costly, dialect } = reader;
  if (costly === undefined) return reader;
  if (dialect.name === "postgres") return costly;
  const sql = `SELECT (SELECT max(id) FROM ${table}) - (SELECT min(id) FROM ${table}) AS distance`;
  const distance = (await reader.get<{ distance: number | null }>(sql))?.distance ?? 0;
  return distance < FEW_ENTRIES ? reader : costly;
}
