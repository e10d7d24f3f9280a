import { setImmediate } from "node:timers/promises";
import type { SqliteConnection } from "../db/sqlite/connection.ts";
import { causeOf } from "../db/sqlite/failures.ts";
import { type CheckProgress, MAX_PROBLEMS, type StoreProblem } from "./problem.ts";

interface SchemaEntry {
  readonly type: string;
  readonly name: string;
  readonly rootpage: number;
}

/** Checks every table with its indexes, and then the pages that belong to none. */
export async function checkIntegrity(
  database: SqliteConnection,
  progress: CheckProgress,
): Promise<StoreProblem[]> {
  const schema = await database.all<SchemaEntry>(
    "SELECT type, name, rootpage FROM sqlite_schema WHERE rootpage > 0 ORDER BY name",
  );
  const tables = schema.filter(({ type }) => type === "table");
  const problems: StoreProblem[] = [];
  for (const [at, { name }] of tables.entries()) {
    progress(`checking table ${name}`, at, tables.length);
    await setImmediate();
    const found = messagesOf(database, `integrity_check("${name}")`);
    problems.push(...found.map((message) => problemOf(message, name, schema)));
  }
  if (problems.length > 0) return problems;
  progress("checking unused pages", tables.length, tables.length);
  await setImmediate();
  const found = messagesOf(database, "quick_check");
  return found.map((problem) => ({ kind: "database", name: "wharf.db", problem }));
}

/** Messages of a check of SQLite; empty if all is well. On a damaged page it ends with an error. */
function messagesOf(database: SqliteConnection, check: string): string[] {
  const lines: string[] = [];
  try {
    for (const [text] of database.rows<readonly [string]>(`PRAGMA ${check}`))
      lines.push(...text.split("\n"));
  } catch (error) {
    if (causeOf(error) === undefined) throw error;
    if (lines.length === 0) lines.push((error as Error).message);
  }
  return lines
    .filter((line) => line !== "ok" && line !== "" && !line.startsWith("***"))
    .slice(0, MAX_PROBLEMS);
}

/** A message names an index, or the root page of the tree that it is about. */
function problemOf(problem: string, table: string, schema: readonly SchemaEntry[]): StoreProblem {
  const index = /\bindex (\S+)$/.exec(problem)?.[1];
  if (index !== undefined) return { kind: "index", name: index, problem };
  const root = Number(/^Tree (\d+) /.exec(problem)?.[1]);
  const owner = schema.find(({ rootpage }) => rootpage === root);
  return { kind: owner?.type === "index" ? "index" : "table", name: owner?.name ?? table, problem };
}
