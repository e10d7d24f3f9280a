import { existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseDatabaseUrl, shownHost } from "../../config/database-url.ts";
import { ConfigError } from "../../config/settings.ts";
import { databaseError, dataDirectoryError } from "../../lib/startup-errors.ts";
import { openPostgresTarget, openSqliteTarget, type Target } from "../../store/copy/target.ts";
import { DATABASE, PARTIAL } from "../../store/db/open.ts";
import { createDirectory, createFile } from "../../store/db/sqlite/directory.ts";
import { ServerLock } from "../../store/db/sqlite/server-lock.ts";
import { writePrivately } from "./private-file.ts";
import type { StoreLocation } from "./store-source.ts";

/**
 * Builds a new store: all of it, or nothing if the work fails or the process is killed. `before` runs when it is
 * complete, before it can be opened.
 */
export async function buildStore(
  location: StoreLocation,
  fill: (target: Target) => Promise<void>,
  before: () => void,
): Promise<void> {
  if (location.databaseUrl !== "") return buildInPostgres(location.databaseUrl, fill, before);
  const { data } = location;
  const path = join(data, DATABASE);
  const unmark = mark(data, path + PARTIAL);
  const lock = lockOr(unmark, data);
  const withdraw = () => {
    unmark();
    lock.withdraw();
  };
  // A signal ends the process.
  process.once("exit", withdraw);
  try {
    mustBeFree(path);
    const work = async (partial: string) => {
      const target = openSqliteTarget(partial);
      await withTarget(target, fill);
      before();
    };
    await writePrivately(path, work, "replaced");
  } catch (error) {
    withdraw();
    throw dataDirectoryError(data, error);
  } finally {
    process.off("exit", withdraw);
  }
  lock.release();
}

async function buildInPostgres(
  url: string,
  fill: (target: Target) => Promise<void>,
  before: () => void,
): Promise<void> {
  const hosts = parseDatabaseUrl(url).hosts.map(shownHost);
  try {
    const target = await openPostgresTarget(url);
    await withTarget(target, async () => {
      await fill(target);
      before();
    });
  } catch (error) {
    throw databaseError(hosts, error);
  }
}

async function withTarget(target: Target, fill: (target: Target) => Promise<void>): Promise<void> {
  try {
    await fill(target);
  } catch (error) {
    await target.abandon();
    throw error;
  }
  await target.commit();
}

/**
 * The partial file comes before the lock: wherever the process is killed, a server that is started there finds it and
 * does not begin a new installation. Returns what removes it, unless it was there before.
 */
function mark(data: string, partial: string): () => void {
  try {
    createDirectory(data);
    const isNew = !existsSync(partial);
    createFile(partial);
    return () => {
      if (isNew) rmSync(partial, { force: true });
    };
  } catch (error) {
    throw dataDirectoryError(data, error);
  }
}

function lockOr(unmark: () => void, data: string): ServerLock {
  try {
    return lockDirectory(data);
  } catch (error) {
    unmark();
    throw error;
  }
}

/** An empty file is what is left of a lost database. */
function mustBeFree(database: string): void {
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (sizeOf(database) > 0 || sizeOf(`${database}-wal`) > 0)
    throw new ConfigError(
      `${database} exists: choose another directory, or move it and its -wal file away`,
    );
  for (const suffix of ["", "-wal", "-shm"]) rmSync(database + suffix, { force: true });
}

/** No server runs in the directory, and none starts. */
export function lockDirectory(directory: string): ServerLock {
  try {
    return ServerLock.acquire(directory);
  } catch (error) {
    throw dataDirectoryError(directory, error);
  }
}
