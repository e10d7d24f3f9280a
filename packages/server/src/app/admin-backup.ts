import { closeSync, existsSync, fsyncSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { ConfigError, type Settings } from "../config/settings.ts";
import { dataDirectoryError } from "../lib/startup-errors.ts";
import { readKey } from "../secrets/key.ts";
import { Secrets } from "../secrets/secrets.ts";
import { DATABASE, hasStore, SECRET_KEY } from "../store/db/open.ts";
import { type CopyProgress, copyDatabase } from "../store/db/sqlite/backup.ts";
import type { SqliteConnection } from "../store/db/sqlite/connection.ts";
import { causeOf } from "../store/db/sqlite/failures.ts";
import { ServerLock } from "../store/db/sqlite/server-lock.ts";

/**
 * Backup and restore of the embedded database. Backups do not contain the secret key: a reader of both
 * can sign any token, so they belong in different places.
 */

export interface BackupOptions {
  readonly file: string;
  /** Where to write a copy of the secret key. */
  readonly secretKeyCopy: string | undefined;
  readonly progress: CopyProgress;
}

export interface BackedUp {
  /** The file of the secret key, without which the backup cannot be used. */
  readonly secretKey: string;
}

/** Copies the database, while the server runs or not. */
export async function backUp(settings: Settings, options: BackupOptions): Promise<BackedUp> {
  const { file, secretKeyCopy, progress } = options;
  mustBeSqlite(settings, `pg_dump --format custom --file ${file} "$WHARF_DATABASE_URL"`);
  if (!hasStore(settings))
    throw new ConfigError(`there is no store in ${settings.data}: name its directory with --data`);
  const secretKey = settings.secretKeyFile || join(settings.data, SECRET_KEY);
  if (secretKeyCopy !== undefined) {
    const key = readKey(secretKey);
    if (key === undefined) throw new ConfigError(`${secretKey} is missing`);
    writeKey(secretKeyCopy, key);
  }
  try {
    await copyDatabase(join(settings.data, DATABASE), file, { progress });
    return { secretKey };
  } catch (error) {
    if (secretKeyCopy !== undefined) rmSync(secretKeyCopy, { force: true });
    if (causeOf(error) === "disk_full")
      throw new ConfigError(`${file} cannot be written: the disk is full`);
    throw dataDirectoryError(settings.data, error);
  }
}

export interface RestoreOptions {
  readonly file: string;
  /** A copy of the secret key, to be put into the data directory. */
  readonly secretKeyCopy: string | undefined;
  readonly progress: CopyProgress;
}

export interface Restored {
  readonly secretKey: string;
  readonly hasSecretKey: boolean;
}

/** Puts a backup into a data directory without a database. */
export async function restore(settings: Settings, options: RestoreOptions): Promise<Restored> {
  const { file, secretKeyCopy, progress } = options;
  const { data, secretKeyFile } = settings;
  mustBeSqlite(settings, `pg_restore --clean --if-exists --dbname "$WHARF_DATABASE_URL" ${file}`);
  mustBeBackup(file);
  const inDirectory = join(data, SECRET_KEY);
  if (secretKeyCopy !== undefined && secretKeyFile !== "")
    throw new ConfigError("--secret-key-copy and --secret-key-file exclude each other");
  if (secretKeyCopy !== undefined && existsSync(inDirectory))
    throw new ConfigError(`${inDirectory} exists: leave out --secret-key-copy, or remove it`);
  const secretKey = secretKeyFile || inDirectory;
  const keySource = secretKeyCopy ?? secretKey;
  const key = readKey(keySource);
  if (key === undefined && keySource !== inDirectory)
    throw new ConfigError(`${keySource} is missing`);
  const accept = async (copy: SqliteConnection) => {
    if (key === undefined || (await new Secrets(key).isKeyOf(copy))) return;
    throw new ConfigError(`${keySource} is not the secret key of ${file}`);
  };
  const lock = lockDirectory(data);
  try {
    const target = join(data, DATABASE);
    mustBeFree(target);
    await copyDatabase(file, target, { progress, accept });
    if (secretKeyCopy !== undefined && key !== undefined) writeKey(inDirectory, key);
    return { secretKey, hasSecretKey: key !== undefined };
  } catch (error) {
    throw dataDirectoryError(data, error);
  } finally {
    lock.release();
  }
}

function mustBeSqlite({ databaseUrl }: Settings, command: string): void {
  if (databaseUrl === "") return;
  throw new ConfigError(`this is for SQLite; PostgreSQL has tools of its own, such as: ${command}`);
}

/** A database that was copied with its write-ahead log may be incomplete, and is no backup. */
function mustBeBackup(file: string): void {
  if (!existsSync(file)) throw new ConfigError(`${file} is missing`);
  if (!statSync(`${file}-wal`, { throwIfNoEntry: false })?.size) return;
  throw new ConfigError(
    `${file}-wal exists: this is a copy of a running database, not a backup; use \`wharf admin backup\``,
  );
}

/** An empty file is what is left of a lost database. */
function mustBeFree(database: string): void {
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (sizeOf(database) > 0 || sizeOf(`${database}-wal`) > 0)
    throw new ConfigError(
      `${database} exists: restore into another directory, or move it and its -wal file away`,
    );
  for (const suffix of ["", "-wal", "-shm"]) rmSync(database + suffix, { force: true });
}

function lockDirectory(directory: string): ServerLock {
  try {
    return ServerLock.acquire(directory);
  } catch (error) {
    throw dataDirectoryError(directory, error);
  }
}

/** Writes a key that only this user can read, and does not overwrite another one. */
function writeKey(path: string, key: Buffer): void {
  let file: number;
  try {
    file = openSync(path, "wx", 0o600);
  } catch (error) {
    throw new ConfigError(`${path} cannot be written: ${(error as Error).message}`);
  }
  try {
    writeSync(file, key);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
