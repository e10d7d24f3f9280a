import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { ConfigError } from "../../config/settings.ts";

/** Files that only this user can read, and that appear when they are complete. Existing ones are not overwritten. */

/** Creates a file that gets its name when the work is done; otherwise nothing is left of it. */
export async function writePrivately<T>(
  path: string,
  work: (partial: string, file: number) => Promise<T>,
): Promise<T> {
  const partial = `${path}.partial`;
  mustNotExist(path);
  const file = create(partial);
  try {
    const result = await work(partial, file);
    fsyncSync(file);
    mustNotExist(path);
    renameSync(partial, path);
    syncDirectory(dirname(path));
    return result;
  } finally {
    closeSync(file);
    for (const suffix of ["", "-journal", "-wal", "-shm"])
      rmSync(partial + suffix, { force: true });
  }
}

function create(path: string): number {
  try {
    return openSync(path, "wx+", 0o600);
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
