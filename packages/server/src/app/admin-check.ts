import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseDatabaseUrl, shownHost } from "../config/database-url.ts";
import { ConfigError, type Settings } from "../config/settings.ts";
import { databaseError, dataDirectoryError } from "../lib/startup-errors.ts";
import { checkContent, type Orphans } from "../registry/storage/check-content.ts";
import { checkInvariants } from "../store/check/invariants.ts";
import { checkPostgres } from "../store/check/postgres.ts";
import type { CheckProgress, StoreProblem } from "../store/check/problem.ts";
import { checkIntegrity } from "../store/check/sqlite-integrity.ts";
import type { Reader } from "../store/db/connection.ts";
import { DATABASE } from "../store/db/open.ts";
import { openPostgres } from "../store/db/postgres.ts";
import { SqliteConnection } from "../store/db/sqlite/connection.ts";
import { causeOf } from "../store/db/sqlite/failures.ts";
import { schemaFor } from "./backup/store-source.ts";
import { RESOURCES } from "./resources.ts";

export type { StoreProblem };

export interface StoreCheck {
  readonly store: "sqlite" | "postgres";
  readonly problems: readonly StoreProblem[];
  /** Absent if the rows could not be checked, or there is no registry. */
  readonly orphans?: Orphans | undefined;
}

export interface CheckOptions {
  /** Whether to hash the content of the registry. */
  readonly rehash: boolean;
  readonly progress: CheckProgress;
}

/**
 * Checks the store without changing it, beside a running server or for one that does not start. The rows are those of one
 * moment; the content of the registry is compared with them afterwards.
 */
export function checkStore(settings: Settings, options: CheckOptions): Promise<StoreCheck> {
  return settings.databaseUrl === ""
    ? checkFile(databaseOf(settings), settings, options)
    : checkServer(settings.databaseUrl, settings, options);
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

async function checkFile(
  path: string,
  { registryStorage }: Settings,
  options: CheckOptions,
): Promise<StoreCheck> {
  let database: SqliteConnection | undefined;
  try {
    database = new SqliteConnection(path, true);
    database.exec("BEGIN");
    const damage = await checkIntegrity(database, options.progress);
    if (damage.length > 0) return { store: "sqlite", problems: damage };
    const found = await checkRows(database, options);
    database.exec("COMMIT");
    return { store: "sqlite", ...(await withContent(database, registryStorage, found, options)) };
  } catch (error) {
    if (causeOf(error) !== "damaged") throw dataDirectoryError(dirname(path), error);
    const { message: problem } = error as Error;
    return { store: "sqlite", problems: [{ kind: "database", name: DATABASE, problem }] };
  } finally {
    database?.close();
  }
}

async function checkServer(
  url: string,
  { registryStorage }: Settings,
  options: CheckOptions,
): Promise<StoreCheck> {
  try {
    // Whole tables are read: that takes as long as it takes.
    const driver = await openPostgres(url, { statementMs: 0 });
    try {
      let isReadable = false;
      const problems = await checkPostgres(driver, async (reader) => {
        const found = await checkRows(reader, options);
        ({ isReadable } = found);
        return [...found.problems];
      });
      const found = { problems, isReadable };
      const all = await withContent(driver.reader, registryStorage, found, options);
      return { store: "postgres", ...all };
    } finally {
      await driver.close();
    }
  } catch (error) {
    throw databaseError(parseDatabaseUrl(url).hosts.map(shownHost), error);
  }
}

interface RowCheck {
  readonly problems: readonly StoreProblem[];
  /** Whether the rows can be relied on to check the content of the registry. */
  readonly isReadable: boolean;
}

/** Rules of this version hold for tables of this version only. */
async function checkRows(reader: Reader, { progress }: CheckOptions): Promise<RowCheck> {
  const step = await readStep(reader);
  const newestStep = schemaFor(reader.dialect).last;
  if (step === newestStep) {
    const tables = Object.values(RESOURCES).map((resource) => resource.table);
    return { problems: await checkInvariants(reader, tables, progress), isReadable: true };
  }
  const problem =
    step === undefined
      ? "it has no tables of wharf"
      : `its tables are of step ${step}, and this version of wharf has ${newestStep}: check it with that version, or start the server to upgrade`;
  const problems = [{ kind: "database", name: "migrations", problem } as const];
  return { problems, isReadable: false };
}

async function withContent(
  reader: Reader,
  folder: string | undefined,
  { problems, isReadable }: RowCheck,
  options: CheckOptions,
): Promise<Pick<StoreCheck, "problems" | "orphans">> {
  if (!isReadable || folder === undefined) return { problems };
  const content = await checkContent(reader, folder, options);
  return { problems: [...problems, ...content.problems], orphans: content.orphans };
}

async function readStep(reader: Reader): Promise<number | undefined> {
  const schema = reader.dialect.name === "sqlite" ? "sqlite_schema" : "pg_tables";
  const column = reader.dialect.name === "sqlite" ? "name" : "tablename";
  const exists = `SELECT 1 AS one FROM ${schema} WHERE ${column} = 'migrations'`;
  if ((await reader.get(exists)) === undefined) return undefined;
  return (await reader.get<{ step: number }>("SELECT max(step) AS step FROM migrations"))?.step;
}
