/** Bare SQLite: inserts one row after another, each in a durable transaction. */
import { randomBytes } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { Tally } from "../load/load.ts";
import { doJobs } from "../program.ts";

export interface InsertJob {
  readonly file: string;
  readonly parent: string;
  readonly name: string;
  /** The JSON of one group, which is the content of every row. */
  readonly json: string;
  readonly seconds: number;
}

doJobs(async ({ file, parent, name, json, seconds }: InsertJob) => {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("PRAGMA synchronous = FULL");
  database.exec(
    `CREATE TABLE IF NOT EXISTS plain (
      id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, name TEXT NOT NULL, json TEXT NOT NULL)`,
  );
  const insert = database.prepare("INSERT INTO plain (uid, name, json) VALUES (?, ?, ?)");
  const count = database.prepare("SELECT count(*) AS rows FROM plain");
  const before = count.get()?.rows as number;
  const tally = new Tally(seconds, true);
  do insert.run(`${parent}/${randomBytes(8).toString("hex")}`, name, json);
  while (tally.answered());
  const load = tally.result();
  const after = count.get()?.rows as number;
  database.close();
  if (after - before !== load.answers) throw new Error("not every insert created a row");
  // The process under test itself, not a load generator.
  return { ...load, busy: 0 };
});
