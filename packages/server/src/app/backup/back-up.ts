import { createReadStream, createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ConfigError } from "../../config/settings.ts";
import { AgeError, AgeWriter, decrypt, type Lock, type Unlock } from "../../lib/age/age.ts";
import { zlib } from "../../lib/runtime/lazy-builtins.ts";
import { dataDirectoryError } from "../../lib/startup-errors.ts";
import { type Archive, archiveLines, openArchive } from "./archive.ts";
import type { CopyProgress } from "./fill-target.ts";
import { writePrivately } from "./private-file.ts";
import { openSource, type StoreLocation } from "./store-source.ts";

export interface BackupOptions {
  readonly file: string;
  /** Encryption of the backup, which contains the secret key. */
  readonly lock: Lock;
  readonly progress?: CopyProgress;
}

export interface BackedUp {
  readonly rows: number;
  readonly bytes: number;
}

/** Fast: most of the content is text that is much alike. */
const COMPRESSION = { level: 4 };

/**
 * Writes everything that an installation consists of to one encrypted file: the state of one moment, while the server
 * runs or not. The file is read again before it gets its name.
 */
export async function backUp(location: StoreLocation, options: BackupOptions): Promise<BackedUp> {
  const { file, lock, progress = () => {} } = options;
  const source = await openSource(location);
  try {
    return await writePrivately(file, async (partial, descriptor) => {
      const writer = new AgeWriter(lock);
      const output = createWriteStream(partial, { fd: descriptor, autoClose: false, start: 0 });
      await pipeline(
        Readable.from(archiveLines(source, progress)),
        zlib().createGzip(COMPRESSION),
        (content) => writer.encrypt(content),
        output,
      );
      await verify(partial, writer.unlock);
      return { rows: source.rows, bytes: output.bytesWritten };
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOSPC")
      throw new ConfigError(`${file} cannot be written: the disk is full`);
    throw location.databaseUrl === "" ? dataDirectoryError(location.data, error) : error;
  } finally {
    await source.snapshot.close();
  }
}

/** Reads a backup to its end. */
async function verify(file: string, unlock: Unlock): Promise<void> {
  await readBackup(file, unlock, async (archive) => {
    for await (const _rows of archive.rows());
  });
}

/** Opens a backup. All of it must be read: its end says that it is complete. */
export async function readBackup<T>(
  file: string,
  unlock: Unlock,
  read: (archive: Archive) => Promise<T>,
): Promise<T> {
  let result: T | undefined;
  try {
    await pipeline(
      createReadStream(file),
      (source) => decrypt(source, unlock),
      zlib().createGunzip(),
      async (content) => {
        result = await read(await openArchive(content));
      },
    );
  } catch (error) {
    throw readable(file, error);
  }
  return result as T;
}

function readable(file: string, error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof AgeError || error instanceof ConfigError)
    return new ConfigError(`${file} cannot be restored: ${message}`, { cause: error });
  if (code === "ENOENT") return new ConfigError(`${file} is missing`);
  if (code === "EACCES" || code === "EISDIR")
    return new ConfigError(`${file} cannot be read: ${message}`);
  return error;
}
