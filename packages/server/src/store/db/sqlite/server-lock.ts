import { existsSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type DirectoryHolder, directoryInUseError } from "../../../lib/startup-errors.ts";
import { identityOf } from "./data-files.ts";
import { createDirectory, createFile } from "./directory.ts";
import { isLocked } from "./failures.ts";

/**
 * The lock of a data directory: one server per directory, and admin commands beside it. It is an open
 * write transaction on a database of its own, so the kernel releases it however the server ends, and
 * others can still read who holds it.
 */
const LOCK_FILE = "server.lock";

export class ServerLock {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #isNew: boolean;

  private constructor(database: DatabaseSync, path: string, isNew: boolean) {
    this.#database = database;
    this.#path = path;
    this.#isNew = isNew;
  }

  /** Throws if another server holds the lock. */
  static acquire(directory: string): ServerLock {
    createDirectory(directory);
    const path = join(directory, LOCK_FILE);
    const isNew = !existsSync(path);
    createFile(path);
    const identity = identityOf(path);
    const database = new DatabaseSync(path);
    try {
      database.exec("BEGIN IMMEDIATE");
      writeHolder(database);
      database.exec("BEGIN IMMEDIATE");
      if (identityOf(path) === identity) return new ServerLock(database, path, isNew);
    } catch (error) {
      const thrown = isLocked(error)
        ? directoryInUseError(directory, holderOf(database), error)
        : error;
      database.close();
      throw thrown;
    }
    // Its last holder has removed it meanwhile: others would lock another file.
    database.close();
    return ServerLock.acquire(directory);
  }

  release(): void {
    this.#database.close();
  }

  /** Releases it after work that failed: a file that was created for it is removed. */
  withdraw(): void {
    if (this.#isNew) rmSync(this.#path, { force: true });
    this.release();
  }
}

/** Ends the transaction. On a full disk, the holder stays unknown. */
function writeHolder(database: DatabaseSync): void {
  try {
    database.exec("CREATE TABLE IF NOT EXISTS holder (pid INTEGER, host TEXT, since TEXT)");
    database.exec("DELETE FROM holder");
    database
      .prepare("INSERT INTO holder (pid, host, since) VALUES (?, ?, ?)")
      .run(process.pid, hostname(), new Date().toISOString());
    database.exec("COMMIT");
  } catch {
    if (database.isTransaction) database.exec("ROLLBACK");
  }
}

function holderOf(database: DatabaseSync): DirectoryHolder | undefined {
  try {
    const row = database.prepare("SELECT pid, host, since FROM holder").get();
    return row as unknown as DirectoryHolder | undefined;
  } catch {
    return undefined;
  }
}
