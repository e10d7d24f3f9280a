import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseDatabaseUrl, shownHost } from "../../config/database-url.ts";
import { ConfigError, type Settings } from "../../config/settings.ts";
import { databaseError, dataDirectoryError } from "../../lib/startup-errors.ts";
import type { ResourceTable } from "../resources/resource-table.ts";
import type { Driver } from "./connection.ts";
import { openPostgres } from "./postgres.ts";
import { ServerLock } from "./sqlite/server-lock.ts";
import { type WriterMutex, withWriterMutex } from "./sqlite/writer-mutex.ts";
import { openSqlite, type SqliteDriver, type SqliteOptions } from "./sqlite.ts";
import { Store, type StoreOptions, type StoreTimings } from "./store.ts";

/** The file of the embedded database in the data directory. */
export const DATABASE = "wharf.db";

/** The end of the name of a database that is being restored. */
export const PARTIAL = ".partial";

/** The file of the secret key in the data directory, unless the settings name another. */
export const SECRET_KEY = "secret.key";

/**
 * Maximum staleness of reads, in milliseconds, while other processes write: shorter than it takes
 * to answer a write there, and the client to send a request here.
 */
const WORKER_AGE_MS = 0.1;

type Location = Pick<Settings, "data" | "databaseUrl" | "secretKeyFile">;

/** Opens the database of the settings for an admin command. A server may write beside it: every read sees all commits. */
export async function openStore(
  location: Location,
  tables: readonly ResourceTable[],
  timings: StoreTimings,
  options: StoreOptions = {},
): Promise<Store> {
  const openFile = (at: Location) => openUnlessLost(at, { maxAgeMs: 0 });
  return open(location, tables, timings, options, openFile);
}

/** Opens the database of the settings for a server, which is alone in its data directory. */
export async function openServerStore(
  location: Location,
  tables: readonly ResourceTable[],
  timings: StoreTimings,
  options: StoreOptions = {},
): Promise<Store> {
  return open(location, tables, timings, options, openLocked);
}

export interface WorkerStoreOptions {
  readonly mutex: WriterMutex;
  /** The files that other workers have open. */
  readonly opened: readonly string[] | undefined;
  /** Receives the files that are open now. Not called with PostgreSQL. */
  onOpen(opened: readonly string[]): void;
}

/**
 * Opens the database of the settings for one of several processes of a server, of which the supervisor holds the lock
 * of the data directory. All of them have the same files open, or two stores would be behind one port.
 */
export function workerStoreOpener({
  mutex,
  opened,
  onOpen,
}: WorkerStoreOptions): typeof openServerStore {
  const openFile = async (location: Location) => {
    const driver = await openUnlessLost(location, { maxAgeMs: WORKER_AGE_MS, opened });
    onOpen(driver.opened);
    return withWriterMutex(driver, mutex);
  };
  return (location, tables, timings, options = {}) =>
    open(location, tables, timings, options, openFile);
}

/** Acquires the lock of the data directory, for a server of several processes; PostgreSQL needs none. */
export function lockDataDirectory({ data, databaseUrl }: Location): ServerLock | undefined {
  try {
    return databaseUrl === "" ? ServerLock.acquire(data) : undefined;
  } catch (error) {
    throw dataDirectoryError(data, error);
  }
}

async function open(
  location: Location,
  tables: readonly ResourceTable[],
  timings: StoreTimings,
  options: StoreOptions,
  openFile: (location: Location) => Promise<Driver>,
): Promise<Store> {
  const { data, databaseUrl } = location;
  try {
    const driver = databaseUrl === "" ? await openFile(location) : await openPostgres(databaseUrl);
    return await Store.open(driver, tables, timings, options);
  } catch (error) {
    throw databaseUrl === ""
      ? dataDirectoryError(data, error)
      : databaseError(hostsOf(databaseUrl), error);
  }
}

function hostsOf(databaseUrl: string): string[] {
  return parseDatabaseUrl(databaseUrl).hosts.map(shownHost);
}

/** Holds the lock of the data directory until the database is closed. */
async function openLocked(location: Location): Promise<Driver> {
  const lock = ServerLock.acquire(location.data);
  try {
    const driver = await openUnlessLost(location);
    const close = () => driver.close().finally(() => lock.release());
    return { ...driver, close };
  } catch (error) {
    lock.withdraw();
    throw error;
  }
}

/** Does not replace a lost database by a new one: an existing key belongs to an existing database. */
async function openUnlessLost(
  { data, secretKeyFile }: Location,
  options: SqliteOptions = {},
): Promise<SqliteDriver> {
  const path = join(data, DATABASE);
  const key = join(data, SECRET_KEY);
  const mustExist = secretKeyFile === "" && existsSync(key);
  // Before it is opened: SQLite deletes the write-ahead log of an empty database.
  if (!statSync(path, { throwIfNoEntry: false })?.size) {
    if (existsSync(path + PARTIAL)) throw interruptedRestore(path);
    if (mustExist) throw lostDatabase(path, key);
  }
  const driver = openSqlite(path, options);
  const table = mustExist ? await driver.reader.get("SELECT 1 FROM sqlite_schema LIMIT 1") : {};
  if (table !== undefined) return driver;
  await driver.close();
  throw lostDatabase(path, key);
}

/** A new installation would take the place of the one that is to be restored. */
function interruptedRestore(path: string): ConfigError {
  return new ConfigError(
    `${path + PARTIAL} is what an interrupted restore has left: repeat \`wharf admin restore\`; to begin a new installation, remove it`,
  );
}

function lostDatabase(path: string, key: string): ConfigError {
  return new ConfigError(
    `${path} is missing or empty, but ${key} exists, so the database was lost: put it back or restore a backup with \`wharf admin restore\`; to begin a new installation, remove the key`,
  );
}

/** Whether the database exists. Of PostgreSQL, only connecting to it can tell. */
export function hasStore({ data, databaseUrl }: Location): boolean {
  return databaseUrl !== "" || existsSync(join(data, DATABASE));
}
