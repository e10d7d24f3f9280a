import { join } from "node:path";
import type { Settings } from "../config.ts";
import { openPostgres } from "./postgres.ts";
import type { ResourceTable } from "./resource-table.ts";
import { openSqlite } from "./sqlite.ts";
import { Store, type StoreTimings } from "./store.ts";

/**
 * Opens the database that the settings name.
 *
 * @example const store = await openStore(settings, tables, metrics);
 */
export async function openStore(
  { data, databaseUrl }: Pick<Settings, "data" | "databaseUrl">,
  tables: readonly ResourceTable[],
  timings: StoreTimings,
): Promise<Store> {
  const driver =
    databaseUrl === "" ? openSqlite(join(data, "wharf.db")) : await openPostgres(databaseUrl);
  return Store.open(driver, tables, timings);
}
