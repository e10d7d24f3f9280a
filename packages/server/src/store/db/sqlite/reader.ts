import type { StatementSync } from "node:sqlite";
import type { Statement, Value } from "../connection.ts";
import type { StoreFailure } from "../failure.ts";
import { ResultCache } from "../read/result-cache.ts";
import { SqliteConnection } from "./connection.ts";
import { causeOf, isLocked, readError } from "./failures.ts";
import type { LockWait } from "./lock-wait.ts";

/**
 * The maximum age of a read transaction, in milliseconds. A tick can take long on a busy machine; no client
 * can learn of a commit by another process and send a request in less time.
 */
const MAX_AGE_MS = 1;

/**
 * The connection that reads. Starting and ending a read transaction costs more than most reads, so all
 * reads in one tick of the event loop share one. It ends with the tick, at its maximum age, and when this
 * process commits: every read sees what was committed before it. Results are cached until this process or
 * another changes the database. They are shared and must not be modified.
 *
 * A read that fails fails alone: it ends the transaction, and the next read begins another one.
 */
export class SqliteReader extends SqliteConnection {
  /** By the method that reads. */
  readonly #results = { get: new ResultCache(), all: new ResultCache(), arrays: new ResultCache() };
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  readonly #version: StatementSync;
  readonly #lock: LockWait;
  readonly #onFailure: (failure: StoreFailure) => void;
  readonly #maxAgeMs: number;
  #isOpen = false;
  #since = 0;
  #dataVersion = 0;

  constructor(
    path: string,
    lock: LockWait,
    onFailure: (failure: StoreFailure) => void,
    maxAgeMs = MAX_AGE_MS,
  ) {
    super(path, true);
    this.#maxAgeMs = maxAgeMs;
    this.#lock = lock;
    this.#onFailure = onFailure;
    this.#begin = this.prepared("BEGIN");
    this.#end = this.prepared("COMMIT");
    // As an array: building an object would take longer than the rest of the transaction.
    this.#version = this.preparedForArrays("PRAGMA data_version");
  }

  override get<R extends object>(sql: string, ...params: Value[]): Promise<R | undefined> {
    return this.#read(() =>
      this.#results.get.get(sql, params, () => this.prepared(sql).get(...params) as R | undefined),
    );
  }

  override all<R extends object>(sql: string, ...params: Value[]): Promise<R[]> {
    return this.#read(() =>
      this.#results.all.get(sql, params, () => this.prepared(sql).all(...params) as R[]),
    );
  }

  override arrays<R extends readonly Value[]>(sql: string, ...params: Value[]): Promise<R[]> {
    const read = () => this.preparedForArrays(sql).all(...params) as unknown as R[];
    return this.#read(() => this.#results.arrays.get(sql, params, read));
  }

  getNow<R extends object>(sql: string, ...params: Value[]): R | undefined {
    const read = () => this.prepared(sql).get(...params) as R | undefined;
    return this.#now(() => this.#results.get.get(sql, params, read));
  }

  arraysNow<R extends readonly Value[]>(sql: string, ...params: Value[]): R[] | undefined {
    const read = () => this.preparedForArrays(sql).all(...params) as unknown as R[];
    return this.#now(() => this.#results.arrays.get(sql, params, read));
  }

  /** What fails is read again in the usual way, which waits for locks and reports errors. */
  #now<T>(read: () => T): T | undefined {
    try {
      return this.#attempt(read);
    } catch {
      return undefined;
    }
  }

  /** A cached result; undefined if there is none. */
  cached({ kind, sql, params }: Statement): { readonly result: unknown } | undefined {
    if (this.#currentVersion() === undefined) return undefined;
    return this.#results[kind].peek(sql, params);
  }

  /** Runs a statement on another connection, and caches its result if nothing was committed meanwhile. */
  async elsewhere(
    { kind, sql, params }: Statement,
    read: () => Promise<unknown>,
  ): Promise<unknown> {
    const version = this.#currentVersion();
    try {
      const result = await read();
      // What was committed since this connection last looked clears the cache before the next read.
      if (version === this.#dataVersion) this.#results[kind].add(sql, params, result);
      return result;
    } catch (error) {
      throw this.#failed(error);
    }
  }

  /** The version of the database now; undefined while it cannot be read. */
  #currentVersion(): number | undefined {
    try {
      return this.#attempt(() => this.#dataVersion);
    } catch {
      return undefined;
    }
  }

  /** Ends the read transaction, so that the next read sees what was committed since. Never throws. */
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

  #read<T>(read: () => T): Promise<T> {
    try {
      return Promise.resolve(this.#attempt(read));
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
      this.#enter();
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

  #enter(): void {
    const now = performance.now();
    if (this.#isOpen && now - this.#since < this.#maxAgeMs) return;
    this.leave();
    this.#begin.run();
    this.#isOpen = true;
    this.#since = now;
    const [version] = this.#version.get() as unknown as readonly [number];
    this.#dataVersion = version;
    const { get, all, arrays } = this.#results;
    for (const cache of [get, all, arrays]) cache.validate(version);
    setImmediate(() => this.leave());
  }
}
