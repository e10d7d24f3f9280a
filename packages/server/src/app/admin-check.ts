import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseDatabaseUrl, shownHost } from "../config/database-url.ts";
import { ConfigError, type Settings } from "../config/settings.ts";
import { databaseError, dataDirectoryError } from "../lib/startup-errors.ts";
import { checkInvariants } from "../store/check/invariants.ts";
import { checkPostgres } from "../store/check/postgres.ts";
import type { CheckProgress, StoreProblem } from "../store/check/problem.ts";
import { checkIntegrity } from "../store/check/sqlite-integrity.ts";
import type { Reader } from "../store/db/connection.ts";
import { migrations } from "../store/db/migrations.ts";
import { DATABASE } from "../store/db/open.ts";
import { openPostgres } from "../store/db/postgres.ts";
import { SqliteConnection } from "../store/db/sqlite/connection.ts";
import { causeOf } from "../store/db/sqlite/failures.ts";
import { RESOURCES } from "./resources.ts";

export type { StoreProblem };

export interface StoreCheck {
  readonly store: "sqlite" | "postgres";
  readonly problems: readonly StoreProblem[];
}

/**
 * Checks the store without changing it, beside a running server or for one that does not start. The state
 * of one moment is checked.
 */
export function checkStore(settings: Settings, progress: CheckProgress): Promise<StoreCheck> {
  return settings.databaseUrl === ""
    ? checkFile(databaseOf(settings), progress)
    : checkServer(settings.databaseUrl, progress);
}

/**
 * Rebuilds indexes of SQLite from the rows of their tables. Returns those that it could rebuild: SQLite reads the old
 * index to free its pages.
 */
export function rebuildIndexes(settings: Settings, names: readonly string[]): string[] {
  if (settings.databaseUrl !== "") return [];
  const database = new SqliteConnection(databaseOf(settings), false);
  const rebuild = (name: string) => {
    try {
      database.exec(`REINDEX "${name}"`);
      return true;
    } catch (error) {
      if (causeOf(error) === "damaged") return false;
      throw error;
    }
  };
  try {
    return names.filter(rebuild);
  } finally {
    database.close();
  }
}

function databaseOf({ data }: Settings): string {
  const path = join(data, DATABASE);
  if (!existsSync(path))
    throw new ConfigError(`there is no store in ${data}: name its directory with --data`);
  return path;
}

async function checkFile(path: string, progress: CheckProgress): Promise<StoreCheck> {
  let database: SqliteConnection | undefined;
  try {
    database = new SqliteConnection(path, true);
    database.exec("BEGIN");
    const damage = await checkIntegrity(database, progress);
    const problems = damage.length > 0 ? damage : await checkData(database, progress);
    return { store: "sqlite", problems };
  } catch (error) {
    if (causeOf(error) !== "damaged") throw dataDirectoryError(dirname(path), error);
    const { message: problem } = error as Error;
    return { store: "sqlite", problems: [{ kind: "database", name: DATABASE, problem }] };
  } finally {
    database?.close();
  }
}

async function checkServer(url: string, progress: CheckProgress): Promise<StoreCheck> {
  try {
    // Whole tables are read: that takes as long as it takes.
    const driver = await openPostgres(url, { statementMs: 0 });
    try {
      const problems = await checkPostgres(driver, (reader) => checkData(reader, progress));
      return { store: "postgres", problems };
    } finally {
      await driver.close();
    }
  } catch (error) {
    throw databaseError(parseDatabaseUrl(url).hosts.map(shownHost), error);
  }
}

/** Rules of this version hold for tables of this version only. */
async function checkData(reader: Reader, progress: CheckProgress): Promise<StoreProblem[]> {
  const step = await readStep(reader);
  const known = migrations(reader.dialect).length;
  if (step === known) {
    const tables = Object.values(RESOURCES).map((resource) => resource.table);
    return checkInvariants(reader, tables, progress);
  }
  const problem =
    step === undefined
      ? "it has no tables of wharf"
      : `its tables are of step ${step}, and this version of wharf has ${known}: check it with that version, or start the server to upgrade`;
  return [{ kind: "database", name: "migrations", problem }];
}

async function readStep(reader: Reader): Promise<number | undefined> {
  const schema = reader.dialect.name === "sqlite" ? "sqlite_schema" : "pg_tables";
  const column = reader.dialect.name === "sqlite" ? "name" : "tablename";
  const exists = `SELECT 1 AS one FROM ${schema} WHERE ${column} = 'migrations'`;
  if ((await reader.get(exists)) === undefined) return undefined;
  return (await reader.get<{ step: number }>("SELECT max(step) AS step FROM migrations"))?.step;
}
