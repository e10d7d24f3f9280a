import { chmodSync } from "node:fs";
import { dirname } from "node:path";
import { ChildProgram } from "../../lib/child-program.ts";
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
import { PROGRAM, ReaderProcesses, type ReaderProcessOptions } from "./sqlite/reader-processes.ts";
import { CHECKPOINT_PAGES, WriteAheadLog } from "./sqlite/write-ahead-log.ts";

/**
 * Pages of the write-ahead log after which SQLite copies it within a commit. A log gets as long only if no process could
 * copy it meanwhile.
 */
const LONGEST_LOG_PAGES = 4 * CHECKPOINT_PAGES;

/** The interval in which an idle server looks whether its files are still there. */
const WATCH_MS = 1_000;

export interface SqliteOptions extends ReaderProcessOptions {
  /** Maximum staleness of reads with respect to commits of other processes. */
  readonly maxAgeMs?: number;
  /** Wait of writes for the lock of another process. */
  readonly lockWaitMs?: number;
  readonly watchMs?: number;
  /** Pages of the write-ahead log between checkpoints, for tests. */
  readonly checkpointPages?: number;
  /** Flushes the write-ahead log, for tests. */
  readonly flush?: (fd: number) => Promise<void>;
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
  const task = { path, opened: files.opened };
  const program = options.program ?? new ChildProgram(PROGRAM);
  const processes = new ReaderProcesses(task, { ...options, program });
  const checkpoints = new ReaderProcesses({ ...task, writes: true }, { program });
  const log = new WriteAheadLog(path, {
    process: checkpoints,
    endReads: (isUrgent) => {
      reader.leave();
      if (isUrgent) processes.end();
    },
    maxWaitMs: lockWaitMs,
    onFailure: (error) => report({ cause: causeOf(error) ?? "other", error, operation: "write" }),
    pages: options.checkpointPages,
    flush: options.flush,
  });
  let watch: NodeJS.Timeout | undefined;
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
    begin: async (_turn, first) => {
      files.verify();
      writer.abandon();
      await log.prepare();
      await lock.run(() => writer.exec("BEGIN IMMEDIATE"));
      await first?.();
    },
    commit: async () => {
      writer.exec("COMMIT");
      reader.refresh();
      log.committed();
    },
    flush: () => log.flush(),
    rollback: async () => writer.exec("ROLLBACK"),
    openSession: async () => sessionOf(writer, reader, log),
    isTransient: () => false,
    scrub: async () => void (await log.truncate()),
    failureOf: causeOf,
    check: () => processes.check(),
    observe: (listener) => {
      report = listener;
      watch = watchFiles(files, watchMs, listener);
    },
    close: async () => {
      clearInterval(watch);
      processes.close();
      checkpoints.close();
      log.close();
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
  // Commits are not flushed, but the order of flushes around checkpoints is kept: see `WriteAheadLog`.
  writer.exec("PRAGMA synchronous = NORMAL");
  writer.exec(`PRAGMA wal_autocheckpoint = ${LONGEST_LOG_PAGES}`);
  // Reads, so that all files exist.
  writer.exec("SELECT count(*) FROM sqlite_schema");
  return writer;
}

/** A session of migrations, on the connection that writes: closing it leaves that open, and makes all durable. */
function sessionOf(writer: SqliteConnection, reader: SqliteReader, log: WriteAheadLog): Session {
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
    close: () => log.flush(),
  };
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
