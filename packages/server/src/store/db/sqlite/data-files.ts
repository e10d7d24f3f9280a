import { statSync } from "node:fs";

/** The database, its write-ahead log, and the shared memory that coordinates processes. */
const SUFFIXES = ["", "-wal", "-shm"] as const;

/** A file of the database is no longer the one that was opened. */
export class DataFileReplaced extends Error {
  constructor(path: string) {
    super(`${path} was replaced or removed after it was opened`);
  }
}

/**
 * The files of an open database, by device and inode. SQLite does not notice when they are replaced or
 * removed: it writes to files without a name, which are lost when they are closed. SQLite itself keeps
 * all three while a connection is open.
 */
export class DataFiles {
  readonly #path: string;
  readonly #opened: readonly (string | undefined)[];

  /** Of a database that was just opened and read. */
  constructor(path: string) {
    this.#path = path;
    this.#opened = SUFFIXES.map((suffix) => identityOf(path + suffix));
  }

  /** Throws if a file was replaced or removed. */
  verify(): void {
    for (const [at, suffix] of SUFFIXES.entries()) {
      const path = this.#path + suffix;
      if (identityOf(path) !== this.#opened[at]) throw new DataFileReplaced(path);
    }
  }
}

function identityOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}
