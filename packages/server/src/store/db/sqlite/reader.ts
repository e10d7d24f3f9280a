import type { StatementSync } from "node:sqlite";
import type { MaybePromise } from "../../../lib/maybe-promise.ts";
import type { Statement, Value } from "../connection.ts";
import type { StoreFailure } from "../failure.ts";
import { ResultCache } from "../read/result-cache.ts";
import { SqliteConnection } from "./connection.ts";
import type { DataFiles } from "./data-files.ts";
import { causeOf, isLocked, readError } from "./failures.ts";
import type { LockWait } from "./lock-wait.ts";

/**
 * Maximum staleness of reads after commits of other processes, in milliseconds: no client can learn of one and send a
 * request in less time.
 */
const MAX_AGE_MS = 1;

export interface ReaderOptions {
  readonly files: DataFiles;
  readonly lock: LockWait;
  readonly onFailure: (failure: StoreFailure) => void;
  readonly maxAgeMs?: number | undefined;
}

/**
 * The connection that reads. Every read sees what was committed before it. Results are cached until this process or
 * another commits; they are shared and must not be modified.
 *
 * Starting and ending a read transaction costs more than most reads, so reads that are not cached share one within a
 * tick of the event loop, unless something is committed meanwhile. No longer: SQLite could not reset its log.
 *
 * While files are replaced or removed, all reads fail: another process may have written to others, also who is revoked.
 *
 * A read that fails fails alone: it ends the transaction, and the next read begins another one.
 */
export class SqliteReader extends SqliteConnection {
  /** One result cache per query method. */
  readonly #results = { get: new ResultCache(), all: new ResultCache(), arrays: new ResultCache() };
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  readonly #files: DataFiles;
  readonly #dataVersion: StatementSync;
  readonly #lock: LockWait;
  readonly #onFailure: (failure: StoreFailure) => void;
  readonly #maxAgeMs: number;
  #isOpen = false;
  /** When it last looked for commits. */
  #looked = Number.NEGATIVE_INFINITY;
  /** As SQLite counts commits of other connections; several may count as one. */
  #version: number | undefined;

  constructor(path: string, { files, lock, onFailure, maxAgeMs = MAX_AGE_MS }: ReaderOptions) {
    super(path, true);
    this.#files = files;
    this.#lock = lock;
    this.#onFailure = onFailure;
    this.#maxAgeMs = maxAgeMs;
    this.#begin = this.prepared("BEGIN");
    this.#end = this.prepared("COMMIT");
    this.#dataVersion = this.preparedForArrays("PRAGMA data_version");
  }

  override get<R extends object>(sql: string, ...params: Value[]): Promise<R | undefined> {
    const read = () =>
      this.#results.get.get(sql, params, () => {
        this.#enter();
        return this.prepared(sql).get(...params) as R | undefined;
      });
    return Promise.resolve(this.#read(read));
  }

  override all<R extends object>(sql: string, ...params: Value[]): Promise<R[]> {
    const read = () =>
      this.#results.all.get(sql, params, () => {
        this.#enter();
        return this.prepared(sql).all(...params) as R[];
      });
    return Promise.resolve(this.#read(read));
  }

  override arrays<R extends readonly Value[]>(sql: string, ...params: Value[]): MaybePromise<R[]> {
    return this.#read(() =>
      this.#results.arrays.get(sql, params, () => {
        this.#enter();
        return this.preparedForArrays(sql).all(...params) as unknown as R[];
      }),
    );
  }

  /** A cached result; undefined if there is none, or it cannot be known whether it is current. */
  cached({ kind, sql, params }: Statement): { readonly result: unknown } | undefined {
    try {
      return this.#attempt(() => this.#results[kind].peek(sql, params));
    } catch {
      return undefined;
    }
  }

  /** Runs a statement on another connection, and caches its result if nothing was committed meanwhile. */
  async elsewhere(
    { kind, sql, params }: Statement,
    read: () => Promise<unknown>,
  ): Promise<unknown> {
    try {
      this.#look();
      const version = this.#version;
      const result = await read();
      // A commit since it last looked clears the cache before the next read.
      if (version === this.#version) this.#results[kind].add(sql, params, result);
      return result;
    } catch (error) {
      throw this.#failed(error);
    }
  }

  /** The next read looks for commits. */
  refresh(): void {
    this.#looked = Number.NEGATIVE_INFINITY;
  }

  override close(): void {
    // There are no commits any more that a read could look for.
    this.#looked = Number.POSITIVE_INFINITY;
    super.close();
  }

  /** Ends the read transaction, which keeps SQLite from resetting its log. Never throws. */
  leave(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    try {
      this.#end.run();
    } catch {
      // It has nothing to lose, and a failing disk shows with the next read.
      this.abandon();
    }
  }

  /** Waits only for locks. */
  #read<T>(read: () => T): MaybePromise<T> {
    try {
      return this.#attempt(read);
    } catch (error) {
      return isLocked(error) ? this.#retry(read) : Promise.reject(this.#failed(error));
    }
  }

  async #retry<T>(read: () => T): Promise<T> {
    try {
      return await this.#lock.run(() => this.#attempt(read));
    } catch (error) {
      throw this.#failed(error);
    }
  }

  #attempt<T>(read: () => T): T {
    try {
      this.#look();
      return read();
    } catch (error) {
      this.#isOpen = false;
      this.abandon();
      throw error;
    }
  }

  #failed(error: unknown): unknown {
    const cause = causeOf(error);
    if (cause !== undefined) this.#onFailure({ cause, error, operation: "read" });
    return readError(error);
  }

  /** Looks for commits, which a transaction would not see: they clear the caches. */
  #look(): void {
    this.#files.verifySuspect();
    const now = performance.now();
    if (now - this.#looked < this.#maxAgeMs) return;
    this.leave();
    const [version] = this.#dataVersion.get() as unknown as [number];
    this.#looked = now;
    if (version === this.#version) return;
    this.#version = version;
    for (const cache of Object.values(this.#results)) cache.clear();
  }

  #enter(): void {
    if (this.#isOpen) return;
    this.#begin.run();
    this.#isOpen = true;
    setImmediate(() => this.leave());
  }
}
