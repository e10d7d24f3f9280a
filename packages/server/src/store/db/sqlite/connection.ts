import { DatabaseSync, type StatementSync } from "node:sqlite";
import { BoundedCache } from "../../../lib/bounded-cache.ts";
import type { MaybePromise } from "../../../lib/maybe-promise.ts";
import type { Value, Writer } from "../connection.ts";
import { DIALECT } from "./dialect.ts";

/** Time for which a statement blocks the process while another one holds the lock. */
export const BUSY_TIMEOUT_MS = 5_000;

/**
 * Page cache of a connection, in KiB. Hot index pages of a million rows fit; the OS caches the rest. A write changes a page
 * of each index, at random, and reads those that are not in the cache first.
 */
const CACHE_KIB = 65_536;

/** Prepared statements kept: filters can be combined in more ways than fit in memory. */
const STATEMENT_CACHE = { maxEntries: 1_000 };

/**
 * SQLite reads a limit that is a plain parameter when it plans, and plans again each time such a parameter is bound, which
 * takes longer than most statements. It does not read one that is computed.
 */
const PLAIN_LIMIT = /\b(LIMIT|OFFSET) \?/g;

/**
 * A connection with its prepared statements. Calls are synchronous and return resolved promises, as the
 * interface requires; async functions would cost more.
 */
export class SqliteConnection implements Writer {
  readonly dialect = DIALECT;
  readonly #database: DatabaseSync;
  readonly #statements = new BoundedCache<string, StatementSync>(STATEMENT_CACHE);
  readonly #arrayStatements = new BoundedCache<string, StatementSync>(STATEMENT_CACHE);

  constructor(path: string, readOnly: boolean) {
    this.#database = new DatabaseSync(path, { readOnly, timeout: BUSY_TIMEOUT_MS });
    this.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** From now on, a statement fails at once while another process holds the lock. */
  failWhenLocked(): void {
    this.exec("PRAGMA busy_timeout = 0");
  }

  /** Ends a transaction that an error has left open. SQLite ends it even if this fails. */
  abandon(): void {
    try {
      if (this.#database.isTransaction) this.exec("ROLLBACK");
    } catch {
      // The error that left it open is the reason.
    }
  }

  get<R extends object>(sql: string, ...params: Value[]): Promise<R | undefined> {
    return Promise.resolve(this.prepared(sql).get(...params) as R | undefined);
  }

  all<R extends object>(sql: string, ...params: Value[]): Promise<R[]> {
    return Promise.resolve(this.prepared(sql).all(...params) as R[]);
  }

  arrays<R extends readonly Value[]>(sql: string, ...params: Value[]): MaybePromise<R[]> {
    return Promise.resolve(this.preparedForArrays(sql).all(...params) as unknown as R[]);
  }

  /** Rows as arrays, one after the other: those before an error are there. */
  *rows<R extends readonly Value[]>(sql: string): Iterable<R> {
    yield* this.preparedForArrays(sql).iterate() as unknown as Iterable<R>;
  }

  run(sql: string, ...params: Value[]): Promise<number> {
    return Promise.resolve(Number(this.prepared(sql).run(...params).changes));
  }

  close(): void {
    this.#statements.clear();
    this.#arrayStatements.clear();
    this.#database.close();
  }

  protected preparedForArrays(sql: string): StatementSync {
    let statement = this.#arrayStatements.get(sql);
    if (statement === undefined) {
      statement = this.#prepare(sql);
      statement.setReturnArrays(true);
      this.#arrayStatements.set(sql, statement);
    }
    return statement;
  }

  protected prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #prepare(sql: string): StatementSync {
    return this.#database.prepare(sql.replaceAll(PLAIN_LIMIT, "$1 ? + 0"));
  }
}
