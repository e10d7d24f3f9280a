import { chmodSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Driver, Session } from "./connection.ts";
import type { StoreFailure } from "./failure.ts";
import { BUSY_TIMEOUT_MS, SqliteConnection } from "./sqlite/connection.ts";
import { DataFiles } from "./sqlite/data-files.ts";
import { DIALECT } from "./sqlite/dialect.ts";
import { createDirectory, createFile } from "./sqlite/directory.ts";
import { causeOf } from "./sqlite/failures.ts";
import { SqliteLane } from "./sqlite/lane.ts";
import { LockWait } from "./sqlite/lock-wait.ts";
import { SqliteReader } from "./sqlite/reader.ts";
import { ReaderProcesses, type ReaderProcessOptions } from "./sqlite/reader-processes.ts";

/** Pages of the write-ahead log between checkpoints (100 MB): an index page that changed often is copied once. */
const CHECKPOINT_PAGES = 25_000;

/** The interval in which an idle server looks whether its files are still there. */
const WATCH_MS = 1_000;

/** Attempts to truncate the write-ahead log, which a reader in another process prevents meanwhile. */
const TRUNCATE_ATTEMPTS = 100;

export interface SqliteOptions extends ReaderProcessOptions {
  /** How long reads do not look for commits of other processes. */
  readonly maxAgeMs?: number;
  /** How long writes wait for the lock of another process. */
  readonly lockWaitMs?: number;
  readonly watchMs?: number;
  /** The files that other processes of the server have open; this one opens no others. */
  readonly opened?: readonly string[] | undefined;
}

export interface SqliteDriver extends Driver {
  /** The files that are open: see `DataFiles`. */
  readonly opened: readonly string[];
}

/**
 * Opens the embedded database: a file that only the service user can read, with one connection for writes
 * and one for reads, and processes for costly reads.
 */
export function openSqlite(path: string, options: SqliteOptions = {}): SqliteDriver {
  const { lockWaitMs = BUSY_TIMEOUT_MS, watchMs = WATCH_MS, maxAgeMs } = options;
  let report: (failure: StoreFailure) => void = () => {};
  const expected = options.opened && new DataFiles(path, options.opened);
  // SQLite would create what was removed.
  expected?.verify();
  const writer = openWriter(path);
  const files = expected ?? new DataFiles(path);
  files.verify();
  const reader = new SqliteReader(path, {
    files,
    lock: new LockWait(lockWaitMs),
    onFailure: (failure) => report(failure),
    maxAgeMs,
  });
  for (const connection of [writer, reader]) connection.failWhenLocked();
  const lock = new LockWait(lockWaitMs);
  const processes = new ReaderProcesses({ path, opened: files.opened }, options);
  let watch: NodeJS.Timeout | undefined;
  let isLenient = false;
  return {
    dialect: DIALECT,
    opened: files.opened,
    reader,
    costly: new SqliteLane(reader, processes),
    readShared: (sql) => {
      // Each request reads the access version first: with that, it sees what other processes had committed before.
      if (maxAgeMs !== undefined) reader.refresh();
      return reader.arrays(sql);
    },
    writer,
    pipelines: false,
    begin: async (_turn, first, lenient = false) => {
      files.verify();
      writer.abandon();
      if (lenient !== isLenient) {
        // Without a flush of the log; the next commit that has one flushes all before.
        writer.exec(`PRAGMA synchronous = ${lenient ? "NORMAL" : "FULL"}`);
        isLenient = lenient;
      }
      await lock.run(() => writer.exec("BEGIN IMMEDIATE"));
      await first?.();
    },
    commit: async () => {
      writer.exec("COMMIT");
      reader.refresh();
    },
    rollback: async () => writer.exec("ROLLBACK"),
    openSession: async () => sessionOf(writer, reader),
    isTransient: () => false,
    scrub: () => truncateLog(writer, reader, processes),
    failureOf: causeOf,
    check: () => processes.check(),
    observe: (listener) => {
      report = listener;
      watch = watchFiles(files, watchMs, listener);
    },
    close: async () => {
      clearInterval(watch);
      processes.close();
      reader.leave();
      reader.close();
      writer.close();
    },
  };
}

/** Creates the file if there is none, and opens the connection that writes. */
function openWriter(path: string): SqliteConnection {
  createDirectory(dirname(path));
  createFile(path);
  chmodSync(path, 0o600);
  const writer = new SqliteConnection(path, false);
  writer.exec("PRAGMA journal_mode = WAL");
  writer.exec("PRAGMA synchronous = FULL");
  writer.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  // Reads, so that all files exist.
  writer.exec("SELECT count(*) FROM sqlite_schema");
  return writer;
}

/** A session of migrations, on the connection that writes: closing it leaves that open. */
function sessionOf(writer: SqliteConnection, reader: SqliteReader): Session {
  return {
    dialect: DIALECT,
    get: (sql, ...params) => writer.get(sql, ...params),
    all: (sql, ...params) => writer.all(sql, ...params),
    arrays: (sql, ...params) => writer.arrays(sql, ...params),
    run: (sql, ...params) => {
      reader.refresh();
      return writer.run(sql, ...params);
    },
    script: async (sql) => {
      reader.refresh();
      writer.exec(sql);
    },
    close: async () => {},
  };
}

/** With secure_delete, deleted content is zeroed in the log; the checkpoint copies that to the file. */
async function truncateLog(
  writer: SqliteConnection,
  reader: SqliteReader,
  processes: ReaderProcesses,
): Promise<void> {
  for (let attempt = 1; attempt <= TRUNCATE_ATTEMPTS; attempt++) {
    reader.leave();
    // A statement that takes long must not keep deleted content in the log.
    if (attempt === TRUNCATE_ATTEMPTS / 2) processes.end();
    const sql = "PRAGMA wal_checkpoint(TRUNCATE)";
    if ((await writer.get<{ busy: number }>(sql))?.busy === 0) return;
    await sleep(BUSY_TIMEOUT_MS / TRUNCATE_ATTEMPTS);
  }
}

/** Reports at an interval while a file is replaced or removed. Reads and writes fail until it is back. */
function watchFiles(
  files: DataFiles,
  intervalMs: number,
  report: (failure: StoreFailure) => void,
): NodeJS.Timeout {
  const look = () => {
    try {
      files.verify();
    } catch (error) {
      report({ operation: "write", cause: "replaced", error });
    }
  };
  return setInterval(look, intervalMs).unref();
}
