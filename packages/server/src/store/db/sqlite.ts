import { chmodSync } from "node:fs";
import { dirname } from "node:path";
import { ChildProgram } from "../../lib/child-program.ts";
import type { Driver } from "./connection.ts";
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
import { transactionsOf } from "./sqlite/transactions.ts";
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
  const { writer, files } = openFiles(path, options.opened);
  const reader = new SqliteReader(path, {
    files,
    lock: new LockWait(lockWaitMs),
    onFailure: (failure) => report(failure),
    maxAgeMs,
  });
  for (const connection of [writer, reader]) connection.failWhenLocked();
  const task = { path, opened: files.opened };
  const program = options.program ?? new ChildProgram(PROGRAM);
  const processes = new ReaderProcesses(task, { ...options, program });
  const checkpoints = new ReaderProcesses({ ...task, writes: true }, { program });
  const endReads = (isUrgent: boolean) => {
    reader.leave();
    if (isUrgent) processes.end();
  };
  const log = openLog(path, options, checkpoints, endReads, (failure) => report(failure));
  let watch: NodeJS.Timeout | undefined;
  return {
    ...transactionsOf({ writer, reader, files, log, lock: new LockWait(lockWaitMs) }),
    dialect: DIALECT,
    opened: files.opened,
    reader,
    costly: new SqliteLane(reader, processes),
    readShared: (sql) => {
      // Each request reads the access version first: with that, it sees what other processes had committed before.
      if (maxAgeMs !== undefined) reader.refresh();
      return reader.arrays(sql);
    },
    isTransient: () => false,
    failureOf: causeOf,
    check: () => processes.check(),
    observe: (listener) => {
      report = listener;
      watch = watchFiles(files, watchMs, listener);
    },
    close: async () => {
      clearInterval(watch);
      for (const part of [processes, checkpoints, log]) part.close();
      reader.leave();
      for (const connection of [reader, writer]) connection.close();
    },
  };
}

function openLog(
  path: string,
  { lockWaitMs = BUSY_TIMEOUT_MS, checkpointPages, flush }: SqliteOptions,
  process: ReaderProcesses,
  endReads: (isUrgent: boolean) => void,
  report: (failure: StoreFailure) => void,
): WriteAheadLog {
  return new WriteAheadLog(path, {
    process,
    endReads,
    maxWaitMs: lockWaitMs,
    onFailure: (error) => report({ cause: causeOf(error) ?? "other", error, operation: "write" }),
    pages: checkpointPages,
    flush,
  });
}

/** Opens the files of the database: exactly those that other processes have open, if there are any. */
function openFiles(
  path: string,
  opened: readonly string[] | undefined,
): { readonly writer: SqliteConnection; readonly files: DataFiles } {
  const expected = opened && new DataFiles(path, opened);
  // SQLite would create what was removed.
  expected?.verify();
  const writer = openWriter(path);
  const files = expected ?? new DataFiles(path);
  files.verify();
  return { writer, files };
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
