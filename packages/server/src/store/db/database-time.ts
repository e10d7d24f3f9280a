import type { Reader } from "./connection.ts";

/** The clock of the database in milliseconds since 1970; undefined where it is that of this process. */
export async function databaseTime(reader: Reader): Promise<number | undefined> {
  if (reader.dialect.name === "sqlite") return undefined;
  return Number((await reader.get<{ now: number }>(`SELECT ${reader.dialect.now} AS now`))?.now);
}
