import { closeSync, fdatasync, openSync, readSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { CommitOutcomeUnknown } from "../commit/errors.ts";
import { isLocked } from "./failures.ts";
import type { ReaderProcesses } from "./reader-processes.ts";

/** Pages of the log between checkpoints (100 MB): an index page that changed often is copied once. */
export const CHECKPOINT_PAGES = 25_000;

/** The time between attempts to truncate the log, which a reader in another process prevents meanwhile. */
const TRUNCATE_RETRY_MS = 50;

/** The time limit of a process: writes wait for it, and the next one continues. */
const MAX_CHECKPOINT_MS = 60_000;

/** Headers of the log and of each page in it, and where they have the size of pages and the salt. */
const HEADER_BYTES = 32;
const PAGE_SIZE_AT = 8;
const SALT_AT = 16;
const SALT_BYTES = 8;
const PAGE_HEADER_BYTES = 24;
const PAGE_SALT_AT = 8;

/** The smallest write: the number is that of every store. */
const SMALLEST_WRITE = "PRAGMA user_version = 0";

export interface LogOptions {
  /** A process with a connection that writes, for what flushes. */
  readonly process: ReaderProcesses;
  /** Ends transactions that keep the log from being truncated. */
  readonly endReads: (isUrgent: boolean) => void;
  /** The time for which truncating the log waits for reads. */
  readonly maxWaitMs: number;
  readonly onFailure: (error: unknown) => void;
  readonly pages?: number | undefined;
  /** Flushes a file, for tests. */
  readonly flush?: ((fd: number) => Promise<void>) | undefined;
}

/**
 * The flushes of the write-ahead log, none of which blocks the event loop. Commits only write: `flush` makes them
 * durable, in the thread pool. SQLite itself flushes when it copies the log to the database (a checkpoint) and when a
 * write begins the log again after that. Both run in another process: a long log is copied while writes go on; then, with
 * the writer mutex, the few pages since, and the log begins again with the smallest write.
 */
export class WriteAheadLog {
  readonly #options: LogOptions;
  readonly #pages: number;
  readonly #fd: number;
  #isClosed = false;
  readonly #flushFile: (fd: number) => Promise<void>;
  /** The length of the log from which it is copied. */
  #maxPages: number;
  #state: "growing" | "copying" | "copied" = "growing";
  /** The flush that failed, and after which the log was not written again. */
  #failure: { readonly error: unknown } | undefined;

  constructor(databasePath: string, options: LogOptions) {
    this.#options = options;
    this.#pages = options.pages ?? CHECKPOINT_PAGES;
    this.#maxPages = this.#pages;
    this.#flushFile = options.flush ?? promisify(fdatasync);
    // SQLite locks other files than this one: closing it releases no lock.
    this.#fd = openSync(`${databasePath}-wal`, "r+");
  }

  /**
   * Makes all commits so far durable. After a failure, nobody knows which pages the disk has, and the kernel reports it
   * once: whatever is committed on top is not durable either, until the log begins again.
   */
  async flush(): Promise<void> {
    try {
      if (this.#failure === undefined) await this.#flushFile(this.#fd);
    } catch (error) {
      this.#failure = { error };
    }
    if (this.#failure !== undefined) throw new FlushFailed(this.#failure.error);
  }

  /** After a commit: begins to copy a log that is long. */
  committed(): void {
    if (this.#state === "growing" && this.#hasPages(this.#maxPages)) void this.#copy();
  }

  /** Before a transaction, under the mutex: begins a copied log again. Throws while a failed flush is not made up for. */
  async prepare(): Promise<void> {
    if (this.#failure !== undefined) await this.#recover(this.#failure.error);
    if (this.#state === "copied") await this.#restart();
  }

  /** Copies all of the log, and truncates it. Returns false if reads prevent that. */
  async truncate(): Promise<boolean> {
    const { maxWaitMs, endReads } = this.#options;
    const began = performance.now();
    for (;;) {
      const waitedMs = performance.now() - began;
      // A statement that takes long must not keep deleted content in the log.
      endReads(waitedMs > maxWaitMs / 2);
      if (await this.#checkpoint("TRUNCATE")) break;
      if (waitedMs > maxWaitMs) return false;
      await sleep(TRUNCATE_RETRY_MS);
    }
    await this.#write();
    return true;
  }

  close(): void {
    this.#isClosed = true;
    closeSync(this.#fd);
  }

  async #copy(): Promise<void> {
    this.#state = "copying";
    try {
      // Otherwise another process of this server copies it.
      if (await this.#checkpoint("PASSIVE")) this.#state = "copied";
      else this.#postpone();
    } catch (error) {
      this.#failed(error);
    }
  }

  /** A transaction that reads from the log keeps it from beginning again: it grows until the next attempt. */
  async #restart(): Promise<void> {
    try {
      await this.#checkpoint("PASSIVE");
      await this.#write();
      this.#postpone();
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Writes the content of the log to the database, so that nothing depends on pages that the disk may have lost. */
  async #recover(error: unknown): Promise<void> {
    if (!(await this.truncate())) throw error;
    this.#failure = undefined;
  }

  #postpone(): void {
    if (this.#isClosed) return;
    this.#state = "growing";
    this.#maxPages = this.#pages + (this.#hasPages(this.#maxPages) ? this.#maxPages : 0);
    this.#options.process.end();
  }

  #failed(error: unknown): void {
    this.#postpone();
    // Closing ends the process, too.
    if (!this.#isClosed) this.#options.onFailure(error);
  }

  /**
   * Whether the log has so many pages. A log that begins again gets another salt, which each of its pages repeats; those
   * of the log before are left behind the last one: https://sqlite.org/fileformat2.html#the_write_ahead_log
   */
  #hasPages(count: number): boolean {
    const header = this.#read(0, HEADER_BYTES);
    if (header.length < HEADER_BYTES) return false;
    const pageBytes = PAGE_HEADER_BYTES + header.readUInt32BE(PAGE_SIZE_AT);
    const page = this.#read(HEADER_BYTES + (count - 1) * pageBytes, PAGE_HEADER_BYTES);
    const salt = header.subarray(SALT_AT, SALT_AT + SALT_BYTES);
    return page.subarray(PAGE_SALT_AT, PAGE_SALT_AT + SALT_BYTES).equals(salt);
  }

  #read(position: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(this.#fd, bytes, 0, length, position));
  }

  /** Returns whether it ran and did all that its mode requires. */
  async #checkpoint(mode: "PASSIVE" | "TRUNCATE"): Promise<boolean> {
    const [row] = (await this.#run(`PRAGMA wal_checkpoint(${mode})`)) as { busy: number }[];
    return row?.busy === 0;
  }

  /** Begins the log again, unless another process writes: then that one does. */
  async #write(): Promise<void> {
    try {
      await this.#run(SMALLEST_WRITE);
    } catch (error) {
      if (!isLocked(error)) throw error;
    }
  }

  async #run(sql: string): Promise<unknown> {
    const statement = { kind: "all", sql, params: [] } as const;
    const signal = AbortSignal.timeout(MAX_CHECKPOINT_MS);
    return (await this.#options.process.run(statement, signal)).result;
  }
}

/** The log could not be flushed: its commits are visible, but perhaps not durable. */
class FlushFailed extends CommitOutcomeUnknown {
  constructor(cause: unknown) {
    super("the write-ahead log could not be flushed", cause);
  }
}
