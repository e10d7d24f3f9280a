import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { ConfigError } from "../../../config/settings.ts";
import { BUSY_TIMEOUT_MS, SqliteConnection } from "./connection.ts";

/** Pages copied between two reports of progress (16 MiB). */
const PAGES_PER_STEP = 4_096;

/** The number of pages copied so far, and of all. */
export type CopyProgress = (done: number, total: number) => void;

/**
 * Copies a database while others write to it: the state of one moment, checked, readable by this user
 * only. The target appears when it is complete, and is not overwritten.
 */
export async function copyDatabase(
  source: string,
  target: string,
  { progress = () => {}, accept = async () => {} }: CopyOptions = {},
): Promise<void> {
  const partial = `${target}.partial`;
  mustNotExist(target);
  createPartial(partial);
  try {
    await copyPages(source, partial, progress);
    const copy = new SqliteConnection(partial, false);
    try {
      // A database with a write-ahead log would leave files beside it whenever it is read.
      copy.exec("PRAGMA journal_mode = DELETE");
      await mustBeSound(copy, source);
      await accept(copy);
    } finally {
      copy.close();
    }
    sync(partial);
    mustNotExist(target);
    renameSync(partial, target);
    sync(dirname(target));
  } finally {
    for (const suffix of ["", "-journal", "-wal", "-shm"])
      rmSync(partial + suffix, { force: true });
  }
}

export interface CopyOptions {
  readonly progress?: CopyProgress;
  /** Throws if the copy must not be used. */
  readonly accept?: (copy: SqliteConnection) => Promise<void>;
}

/**
 * Copies in steps, within one read transaction: without it, each write of others between two steps would
 * start the copy again, and on a busy server it would never end.
 */
async function copyPages(source: string, target: string, progress: CopyProgress): Promise<void> {
  const from = new DatabaseSync(source, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    from.exec("BEGIN");
    from.prepare("SELECT count(*) FROM sqlite_schema").get();
    await backup(from, target, {
      rate: PAGES_PER_STEP,
      progress: ({ totalPages, remainingPages }) =>
        progress(totalPages - remainingPages, totalPages),
    });
  } finally {
    from.close();
  }
}

async function mustBeSound(copy: SqliteConnection, source: string): Promise<void> {
  const row = await copy.get<{ integrity_check: string }>("PRAGMA integrity_check(1)");
  if (row?.integrity_check !== "ok")
    throw new ConfigError(`${source} is damaged: ${row?.integrity_check.replaceAll("\n", " ")}`);
  const ours = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'";
  if ((await copy.get(ours)) === undefined)
    throw new ConfigError(`${source} is not a database of wharf`);
}

/** Created here, because SQLite would create it readable by others. */
function createPartial(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      code === "EEXIST"
        ? `${path} exists: another copy is running, or one was interrupted; remove it in that case`
        : `${path} cannot be written: ${message}`,
    );
  }
}

function mustNotExist(path: string): void {
  if (existsSync(path)) throw new ConfigError(`${path} exists: choose another name, or remove it`);
}

function sync(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
