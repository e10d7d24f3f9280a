import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { constants } from "node:os";
import { basename, dirname, join } from "node:path";
import { ConfigError } from "../../config/settings.ts";
import { PARTIAL } from "../../store/db/open.ts";

/** Files that only this user can read, and that appear when they are complete. Existing ones are not overwritten. */

/** Nothing is written for so long, nor checked after it was written. */
const ABANDONED_MS = 24 * 3_600_000;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Removes the partial files of killed processes beside a new one: those of the same name, whatever its numbers are, since
 * backups have dates in their names. Others may belong to other programs.
 */
function removeAbandoned(partial: string): void {
  const directory = dirname(partial);
  const withoutNumbers = (name: string) => name.replaceAll(/\d+/g, "#");
  const own = withoutNumbers(basename(partial));
  for (const name of namesIn(directory)) {
    const path = join(directory, name);
    if (withoutNumbers(name) === own && isAbandoned(path)) rmSync(path, { force: true });
  }
}

/** None of a directory that cannot be read: it may still be written. */
function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function isAbandoned(partial: string): boolean {
  const written = statSync(partial, { throwIfNoEntry: false })?.mtimeMs;
  return written !== undefined && Date.now() - written > ABANDONED_MS;
}

/**
 * Creates a file that gets its name when the work is done; otherwise nothing is left of it, unless the process is
 * killed by a signal that cannot be handled. A partial file that exists may belong to another process, unless the
 * caller holds a lock: that one is replaced then, and there is no moment without it.
 */
export async function writePrivately<T>(
  path: string,
  work: (partial: string, file: number) => Promise<T>,
  existing: "kept" | "replaced" = "kept",
): Promise<T> {
  const partial = path + PARTIAL;
  mustNotExist(path);
  if (existing === "kept") removeAbandoned(partial);
  const file = create(partial, existing === "kept" ? "wx+" : "w+");
  const remove = () => {
    for (const suffix of ["", "-journal", "-wal", "-shm"])
      rmSync(partial + suffix, { force: true });
  };
  // Of the process, which has no other work: a signal ends it, and takes the file with it.
  const exit = (signal: NodeJS.Signals) => process.exit(128 + constants.signals[signal]);
  process.once("exit", remove);
  for (const signal of SIGNALS) process.once(signal, exit);
  try {
    const result = await work(partial, file);
    fsyncSync(file);
    mustNotExist(path);
    renameSync(partial, path);
    syncDirectory(dirname(path));
    return result;
  } finally {
    closeSync(file);
    remove();
    process.off("exit", remove);
    for (const signal of SIGNALS) process.off(signal, exit);
  }
}

function create(path: string, flags: string): number {
  try {
    return openSync(path, flags, 0o600);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      code === "EEXIST"
        ? `${path} exists: it is being written, or that was interrupted; remove it in that case`
        : `${path} cannot be written: ${message}`,
    );
  }
}

export function writeKey(path: string, key: Buffer | string): void {
  let file: number;
  try {
    file = openSync(path, "wx", 0o600);
  } catch (error) {
    throw new ConfigError(`${path} cannot be written: ${(error as Error).message}`);
  }
  try {
    writeSync(file, key as string);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function mustNotExist(path: string): void {
  if (existsSync(path)) throw new ConfigError(`${path} exists: choose another name, or remove it`);
}

function syncDirectory(path: string): void {
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
