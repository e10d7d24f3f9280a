import { statSync } from "node:fs";
import { DATA_FILE_REPLACED } from "../../../lib/startup-errors.ts";

/** The database, its write-ahead log, and the shared memory that coordinates processes. */
const SUFFIXES = ["", "-wal", "-shm"] as const;

/** A file of the database is no longer the one that was opened. */
export class DataFileReplaced extends Error {
  readonly code = DATA_FILE_REPLACED;
  readonly path: string;

  constructor(path: string) {
    super(`${path} was replaced or removed after it was opened`);
    this.path = path;
  }
}

/**
 * The files of an open database, by device and inode. SQLite does not notice when they are replaced or
 * removed: it writes to files without a name, which are lost when they are closed. SQLite itself keeps
 * all three while a connection is open.
 */
export class DataFiles {
  readonly #path: string;
  readonly opened: readonly string[];
  /** As of the last look. */
  #isReplaced = false;

  /** Of a database that was just opened and read, here or by another process. */
  constructor(
    path: string,
    opened: readonly string[] = SUFFIXES.map((suffix) => identityOf(path + suffix)),
  ) {
    this.#path = path;
    this.opened = opened;
  }

  /** Throws if a file was replaced or removed. */
  verify(): void {
    const at = SUFFIXES.findIndex(
      (suffix, at) => identityOf(this.#path + suffix) !== this.opened[at],
    );
    this.#isReplaced = at >= 0;
    if (at >= 0) throw new DataFileReplaced(this.#path + SUFFIXES[at]);
  }

  /** The same for each read: looks again only if the last look has failed. */
  verifySuspect(): void {
    if (this.#isReplaced) this.verify();
  }
}

/** The device and inode of a file; empty if there is none. */
export function identityOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? "" : `${found.dev}:${found.ino}`;
}
