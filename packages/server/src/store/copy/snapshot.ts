import { setImmediate } from "node:timers/promises";
import type { Reader, Session, Value } from "../db/connection.ts";
import { openPostgres } from "../db/postgres.ts";
import { SqliteConnection } from "../db/sqlite/connection.ts";
import { type CopiedTable, quoted, selectRows } from "./copied-table.ts";

/** Rows that are read, written and reported together. */
const BATCH_SIZE = 500;

/** Rows of a table, in batches. */
export type RowBatches = AsyncGenerator<readonly (readonly Value[])[]>;

/** The state of a store at one moment, while others write to it. */
export interface Snapshot {
  readonly reader: Reader;
  rows(table: CopiedTable): RowBatches;
  close(): Promise<void>;
}

export function openSqliteSnapshot(path: string): Snapshot {
  const connection = new SqliteConnection(path, true);
  connection.exec("BEGIN; SELECT count(*) FROM sqlite_schema");
  return {
    reader: connection,
    rows: (table) => sqliteRows(connection, table),
    close: async () => connection.close(),
  };
}

/** SQLite answers at once: signals and other work come between batches. */
export async function* sqliteRows(connection: SqliteConnection, table: CopiedTable): RowBatches {
  let batch: (readonly Value[])[] = [];
  for (const row of connection.rows(selectRows(table))) {
    if (batch.push(row) < BATCH_SIZE) continue;
    yield batch;
    batch = [];
    await setImmediate();
  }
  if (batch.length > 0) yield batch;
}

export async function openPostgresSnapshot(url: string): Promise<Snapshot> {
  const { session, close } = await openSession(url);
  await session.script("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  return { reader: session, rows: (table) => postgresRows(session, table), close };
}

/** A connection of its own, which may wait for the other side for as long as it takes. */
export async function openSession(url: string) {
  const limits = { statementMs: 0, idleInTransactionMs: 0 };
  const driver = await openPostgres(url, limits, "wharf copy");
  try {
    const session = await driver.openSession();
    const close = async () => {
      await session.close();
      await driver.close();
    };
    return { session, close };
  } catch (error) {
    await driver.close();
    throw error;
  }
}

/** A cursor per table: statements are prepared under their text, and a cursor has the columns of its table. */
export async function* postgresRows(session: Session, table: CopiedTable): RowBatches {
  const cursor = quoted(`copy_${table.name}`);
  await session.script(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${selectRows(table)}`);
  for (;;) {
    const rows = await session.arrays(`FETCH ${BATCH_SIZE} FROM ${cursor}`);
    if (rows.length === 0) break;
    yield rows;
  }
  await session.script(`CLOSE ${cursor}`);
}
