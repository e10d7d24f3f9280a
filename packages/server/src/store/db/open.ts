import { existsSync } from "node:fs";
import { join } from "node:path";
import { databaseError, dataDirectoryError } from "../../app/startup-errors.ts";
import type { Settings } from "../../config/settings.ts";
import type { ResourceTable } from "../resources/resource-table.ts";
import { openPostgres } from "./postgres.ts";
import { openSqlite } from "./sqlite.ts";
import { Store, type StoreTimings } from "./store.ts";

/** The embedded database's name in the data directory. */
const DATABASE = "wharf.db";

type Where = Pick<Settings, "data" | "databaseUrl">;

/**
 * Opens the database that the settings name.
 *
 * @example const store = await openStore(settings, tables, metrics);
 */
export async function openStore(
  { data, databaseUrl }: Where,
  tables: readonly ResourceTable[],
  timings: StoreTimings,
): Promise<Store> {
  try {
    const driver =
      databaseUrl === "" ? openSqlite(join(data, DATABASE)) : await openPostgres(databaseUrl);
    return await Store.open(driver, tables, timings);
  } catch (error) {
    throw databaseUrl === "" ? dataDirectoryError(data, error) : databaseError(databaseUrl, error);
  }
}

/**
 * Whether the database that the settings name was ever opened. What PostgreSQL has, it tells by itself.
 *
 * @example if (!hasStore(settings)) throw new ConfigError(`there is no store in ${settings.data}`);
 */
export function hasStore({ data, databaseUrl }: Where): boolean {
  return databaseUrl !== "" || existsSync(join(data, DATABASE));
}
