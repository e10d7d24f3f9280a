import type { Reader } from "./connection.ts";

/** The clock of the database in milliseconds since 1970; undefined where it is that of this process. */
export async function databaseTime(reader: Reader): Promise<number | undefined> {
  if (reader.dialect.name === "sqlite") return undefined;
  const sql = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now";
  return Number((await reader.get<{ now: number }>(sql))?.now);
}
