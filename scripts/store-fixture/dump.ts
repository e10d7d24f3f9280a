import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** The file of a SQLite database, without its write-ahead log. */
export function dumpSqlite(file: string): Buffer {
  const copy = `${file}.copy`;
  const database = new DatabaseSync(file);
  database.exec(`VACUUM INTO '${copy}'`);
  database.close();
  return readFileSync(copy);
}

/** Comments, commands of psql, and settings of the session, which other versions may not have. */
const NOT_SQL = /^(--|\\|SET |SELECT pg_catalog\.set_config|$)/;

/** The statements that create the content of a PostgreSQL database. */
export function dumpPostgres(url: string): Buffer {
  const [newest] = readdirSync("/usr/lib/postgresql").sort((a, b) => Number(b) - Number(a));
  const dump = execFileSync(
    `/usr/lib/postgresql/${newest}/bin/pg_dump`,
    ["--no-owner", "--no-privileges", "--rows-per-insert=100", "--dbname", url],
    { encoding: "utf8" },
  );
  const lines = dump.split("\n").filter((line) => !NOT_SQL.test(line));
  return Buffer.from(`${lines.join("\n")}\n`);
}
