import { closeSync, openSync, readSync } from "node:fs";
import { identityOf } from "./data-files.ts";

/** The first copy of the header, which a commit writes last: https://sqlite.org/walformat.html */
const HEADER_BYTES = 48;

/**
 * Open files, by device and inode. A process loses all its locks on a file when it closes any descriptor of it, also
 * the locks of SQLite: only the last user closes it, after its connections.
 */
const OPEN = new Map<string, { readonly fd: number; users: number }>();

/**
 * The WAL index of an open database: the memory by which SQLite coordinates processes. Every commit of any of them
 * changes its header. Reading that takes a microsecond; the locks of a read transaction take twenty while other
 * processes take them, too.
 */
export class WalIndex {
  readonly #identity: string;
  #fd: number | undefined;
  #last = Buffer.alloc(HEADER_BYTES);
  #current = Buffer.alloc(HEADER_BYTES);

  constructor(databasePath: string) {
    const path = `${databasePath}-shm`;
    this.#identity = identityOf(path);
    const open = OPEN.get(this.#identity) ?? { fd: openSync(path, "r"), users: 0 };
    open.users++;
    OPEN.set(this.#identity, open);
    this.#fd = open.fd;
  }

  /**
   * Whether anything was committed since the last call; true once it is closed. What is read after this call is at least
   * as new.
   */
  hasChanged(): boolean {
    if (this.#fd === undefined) return true;
    const bytes = readSync(this.#fd, this.#current, 0, HEADER_BYTES, 0);
    if (bytes < HEADER_BYTES) return true;
    if (this.#current.equals(this.#last)) return false;
    [this.#last, this.#current] = [this.#current, this.#last];
    return true;
  }

  /** After the connections are closed. */
  close(): void {
    const open = OPEN.get(this.#identity);
    if (this.#fd === undefined || open === undefined) return;
    this.#fd = undefined;
    if (--open.users > 0) return;
    OPEN.delete(this.#identity);
    closeSync(open.fd);
  }
}
