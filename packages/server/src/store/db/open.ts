import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "../../config/settings.ts";
import { databaseError, dataDirectoryError } from "../../lib/startup-errors.ts";
import type { ResourceTable } from "../resources/resource-table.ts";
import type { MigrationOptions } from "../schema/migrate.ts";
import { openPostgres } from "./postgres.ts";
import { openSqlite } from "./sqlite.ts";
import { Store, type StoreTimings } from "./store.ts";

/** The file of the embedded database in the data directory. */
const DATABASE = "wharf.db";

type Location = Pick<Settings, "data" | "databaseUrl">;

/** Opens the database of the settings. */
export async function openStore(
  { data, databaseUrl }: Location,
  tables: readonly ResourceTable[],
  timings: StoreTimings,
  options: MigrationOptions = {},
): Promise<Store> {
  try {
    const driver =
      databaseUrl === "" ? openSqlite(join(data, DATABASE)) : await openPostgres(databaseUrl);
    return await Store.open(driver, tables, timings, options);
  } catch (error) {
    throw databaseUrl === "" ? dataDirectoryError(data, error) : databaseError(databaseUrl, error);
  }
}

/** Whether the database exists. Of PostgreSQL, only connecting to it can tell. */
export function hasStore({ data, databaseUrl }: Location): boolean {
  return databaseUrl !== "" || existsSync(join(data, DATABASE));
}
