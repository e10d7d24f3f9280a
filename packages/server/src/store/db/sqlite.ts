import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import type { Dialect, Driver, Value, Writer } from "./connection.ts";
import type { FailureCause } from "./failure.ts";
import { ResultCache } from "./result-cache.ts";

const DIALECT: Dialect = {
  name: "sqlite",
  id: "INTEGER PRIMARY KEY",
  text: "TEXT",
  integer: "INTEGER",
  blob: "BLOB",
  texts: "SELECT value FROM json_each(?)",
  triples:
    "SELECT value ->> 0 AS first, value ->> 1 AS second, value ->> 2 AS third FROM json_each(?)",
  asInteger: (text) => text,
  isWithin: (text) => `instr(${text}, ?) > 0`,
  withoutRowid: "WITHOUT ROWID",
  rowId: "rowid",
  // One writer at a time: nothing needs locking.
  lockShared: "",
  lock: "",
  lockUnlocked: "",
  lockText: "",
};

/** The primary result codes SQLITE_READONLY, SQLITE_IOERR and SQLITE_FULL. */
const FAILURES: Readonly<Record<number, FailureCause>> = {
  8: "read_only",
  10: "io_error",
  13: "disk_full",
};

/** How long a statement waits for another process, such as an admin command, to finish writing. */
const BUSY_TIMEOUT_MS = 5_000;

/** Page cache per connection, in KiB. Hot index pages of a million rows fit; the OS caches the rest. */
const CACHE_KIB = 16_384;

/** Pages of the write-ahead log between checkpoints (40 MB): a hot index page is copied once. */
const CHECKPOINT_PAGES = 10_000;

/** Prepared statements kept: filters can be combined in more ways than fit in memory. */
const STATEMENT_CACHE = { maxEntries: 1_000 };

/**
 * A connection with its prepared statements. Calls are synchronous and return resolved promises, as the
 * interface requires; async functions would cost more.
 */
class SqliteConnection implements Writer {
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

  get<R extends object>(sql: string, ...params: Value[]): Promise<R | undefined> {
    return Promise.resolve(this.prepared(sql).get(...params) as R | undefined);
  }

  all<R extends object>(sql: string, ...params: Value[]): Promise<R[]> {
    return Promise.resolve(this.prepared(sql).all(...params) as R[]);
  }

  arrays<R extends readonly Value[]>(sql: string, ...params: Value[]): Promise<R[]> {
    return Promise.resolve(this.preparedForArrays(sql).all(...params) as unknown as R[]);
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
      statement = this.#database.prepare(sql);
      statement.setReturnArrays(true);
      this.#arrayStatements.set(sql, statement);
    }
    return statement;
  }

  protected prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

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
 */
class SqliteReader extends SqliteConnection {
  readonly #rows = new ResultCache();
  readonly #lists = new ResultCache();
  readonly #arrays = new ResultCache();
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  readonly #version: StatementSync;
  #isOpen = false;
  #since = 0;

  constructor(path: string) {
    super(path, true);
    this.#begin = this.prepared("BEGIN");
    this.#end = this.prepared("COMMIT");
    // As an array: building an object would take longer than the rest of the transaction.
    this.#version = this.preparedForArrays("PRAGMA data_version");
  }

  override get<R extends object>(sql: string, ...params: Value[]): Promise<R | undefined> {
    this.#enter();
    return Promise.resolve(
      this.#rows.get(sql, params, () => this.prepared(sql).get(...params) as R | undefined),
    );
  }

  override all<R extends object>(sql: string, ...params: Value[]): Promise<R[]> {
    this.#enter();
    return Promise.resolve(
      this.#lists.get(sql, params, () => this.prepared(sql).all(...params) as R[]),
    );
  }

  override arrays<R extends readonly Value[]>(sql: string, ...params: Value[]): Promise<R[]> {
    this.#enter();
    const read = () => this.preparedForArrays(sql).all(...params) as unknown as R[];
    return Promise.resolve(this.#arrays.get(sql, params, read));
  }

  /** Ends the read transaction, so that the next read sees what was committed since. */
  leave(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#end.run();
  }

  #enter(): void {
    const now = performance.now();
    if (this.#isOpen && now - this.#since < MAX_AGE_MS) return;
    this.leave();
    this.#begin.run();
    this.#isOpen = true;
    this.#since = now;
    const [version] = this.#version.get() as unknown as readonly [number];
    for (const cache of [this.#rows, this.#lists, this.#arrays]) cache.validate(version);
    setImmediate(() => this.leave());
  }
}

/**
 * Opens the embedded database: a file that only the service user can read, with one connection for writes
 * and one for reads.
 */
export function openSqlite(path: string): Driver {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600));
  chmodSync(path, 0o600);
  const writer = new SqliteConnection(path, false);
  writer.exec(`PRAGMA journal_mode = WAL`);
  writer.exec(`PRAGMA synchronous = FULL`);
  writer.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  const reader = new SqliteReader(path);
  return {
    dialect: DIALECT,
    reader,
    readShared: (sql) => reader.get(sql),
    writer,
    begin: async () => writer.exec("BEGIN IMMEDIATE"),
    commit: async () => {
      writer.exec("COMMIT");
      reader.leave();
    },
    rollback: async () => writer.exec("ROLLBACK"),
    openSession: async () => ({
      dialect: DIALECT,
      get: (sql, ...params) => writer.get(sql, ...params),
      all: (sql, ...params) => writer.all(sql, ...params),
      arrays: (sql, ...params) => writer.arrays(sql, ...params),
      run: (sql, ...params) => writer.run(sql, ...params),
      script: async (sql) => writer.exec(sql),
      // The connection stays open: it is the one that writes.
      close: async () => {},
    }),
    isTransient: () => false,
    // With secure_delete, deleted content is zeroed in the log; the checkpoint copies that to the file.
    scrub: async () => {
      reader.leave();
      writer.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    },
    failureOf: (error) => FAILURES[((error as { errcode?: number }).errcode ?? 0) & 0xff],
    close: async () => {
      reader.leave();
      reader.close();
      writer.close();
    },
  };
}
