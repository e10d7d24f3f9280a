import { join, resolve } from "node:path";
import { ConfigError } from "../../config/settings.ts";
import { VERSION } from "../../lib/version.ts";
import type { Reader } from "../../store/db/connection.ts";
import { SECRET_KEY } from "../../store/db/open.ts";
import { SERVER } from "../../store/db/postgres.ts";
import { type CopyProgress, fillTarget, isStoredKey, type TableRows } from "./fill-target.ts";
import { writeKey } from "./private-file.ts";
import { openSource, type StoreLocation, type StoreSource } from "./store-source.ts";
import { buildStore, lockDirectory } from "./store-target.ts";

export interface Moved {
  readonly rows: number;
  /** The file of the secret key that servers on the new store need; empty if it is in the database. */
  readonly secretKey: string;
}

/**
 * Copies a store into an empty one, of the same or the other database. Its servers must be stopped: what they would
 * write meanwhile would be lost. The old store stays as it is.
 */
export async function moveStore(
  from: StoreLocation,
  to: Pick<StoreLocation, "data" | "databaseUrl">,
  progress: CopyProgress = () => {},
): Promise<Moved> {
  if (to.databaseUrl === "" && from.databaseUrl === "" && resolve(to.data) === resolve(from.data))
    throw new ConfigError(`--to ${to.data} is the directory of the store itself`);
  const lock = from.databaseUrl === "" ? lockDirectory(from.data) : undefined;
  try {
    const source = await openSource(from);
    try {
      if (from.databaseUrl !== "") await mustBeUnused(source.snapshot.reader);
      return await copy(source, from, to, progress);
    } finally {
      await source.snapshot.close();
    }
  } finally {
    lock?.release();
  }
}

async function copy(
  source: StoreSource,
  from: StoreLocation,
  to: Pick<StoreLocation, "data" | "databaseUrl">,
  progress: CopyProgress,
): Promise<Moved> {
  const { secretKey, snapshot, rows } = source;
  const store = snapshot.reader.dialect.name;
  const storesKey = secretKey.isStored && to.databaseUrl !== "";
  // A key in the database becomes a file beside SQLite; a file stays where it is.
  const keyFile = secretKey.isStored && !storesKey ? join(to.data, SECRET_KEY) : undefined;
  await buildStore(
    { ...to, secretKeyFile: from.secretKeyFile },
    (target) =>
      fillTarget(target, { ...source, store, version: VERSION }, rowsOf(source), {
        progress,
        secretKey: secretKey.key,
        storesKey,
      }),
    () => {
      if (keyFile !== undefined) writeKey(keyFile, secretKey.key);
    },
  );
  return { rows, secretKey: storesKey ? "" : (keyFile ?? secretKey.from) };
}

async function* rowsOf({ snapshot, tables }: StoreSource): AsyncGenerator<TableRows> {
  for (const table of tables)
    for await (const batch of snapshot.rows(table))
      yield { table, rows: batch.filter((row) => !isStoredKey(table, row)) };
}

/** Servers name themselves to PostgreSQL. */
async function mustBeUnused(reader: Reader): Promise<void> {
  const sql = `SELECT count(*) AS connections FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = ?`;
  const found = await reader.get<{ connections: number }>(sql, SERVER);
  if ((found?.connections ?? 0) > 0)
    throw new ConfigError("a server is connected to the database: stop all servers first");
}
