import type { MutexMode } from "../commit/replica-mutex.ts";
import type { Session } from "../connection.ts";
import type { SqliteConnection } from "./connection.ts";
import type { DataFiles } from "./data-files.ts";
import { DIALECT } from "./dialect.ts";
import type { LockWait } from "./lock-wait.ts";
import type { SqliteReader } from "./reader.ts";
import type { WriteAheadLog } from "./write-ahead-log.ts";

interface TransactionDeps {
  readonly writer: SqliteConnection;
  readonly reader: SqliteReader;
  readonly files: DataFiles;
  readonly log: WriteAheadLog;
  readonly lock: LockWait;
}

/** The part of the driver that writes. */
export function transactionsOf({ writer, reader, files, log, lock }: TransactionDeps) {
  return {
    writer,
    pipelines: false,
    begin: async (_mode?: MutexMode, first?: () => Promise<void>) => {
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
    scrub: async () => void (await log.truncate()),
  };
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
