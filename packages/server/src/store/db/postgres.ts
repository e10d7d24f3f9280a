import type { Pool } from "pg";
import type { Driver } from "./connection.ts";
import { DIALECT } from "./postgres/dialect.ts";
import { failureOf, isTransient } from "./postgres/failures.ts";
import { scrub } from "./postgres/scrub.ts";
import { PostgresSession } from "./postgres/session.ts";
import { PostgresReader, PostgresWriter } from "./postgres/statements.ts";
import { Transactions } from "./postgres/transactions.ts";
import { SharedRead } from "./shared-read.ts";

/** Connections for reads; writes have one of their own. */
const READ_CONNECTIONS = 8;

/** A statement that takes longer than this is stuck. */
const STATEMENT_TIMEOUT_MS = 20_000;

export interface PostgresOptions {
  /** How long to ask for the outcome of a commit whose connection broke. */
  readonly outcomeTimeoutMs?: number | undefined;
}

/** Opens PostgreSQL, or a compatible database, for any number of replicas. */
export async function openPostgres(
  url: string,
  { outcomeTimeoutMs }: PostgresOptions = {},
): Promise<Driver> {
  const { default: pg } = await import("pg");
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  const options = {
    connectionString: url,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    application_name: "wharf",
  };
  const pool: Pool = new pg.Pool({ ...options, max: READ_CONNECTIONS });
  // A broken idle connection is replaced by the pool; without a listener it would end the process.
  pool.on("error", () => {});

  const transactions = new Transactions(async () => {
    const client = new pg.Client(options);
    // Without a listener, a broken connection would end the process.
    client.on("error", () => {});
    await client.connect();
    return client;
  }, outcomeTimeoutMs);

  const reader = new PostgresReader(async () => pool);
  const shared = new Map<string, SharedRead<object | undefined>>();
  const readShared = <R extends object>(sql: string) => {
    let read = shared.get(sql);
    if (read === undefined) {
      read = new SharedRead(() => reader.get(sql));
      shared.set(sql, read);
    }
    return read.read() as Promise<R | undefined>;
  };
  try {
    await reader.get("SELECT 1 AS one");
  } catch (error) {
    await pool.end();
    throw error;
  }
  return {
    dialect: DIALECT,
    reader,
    readShared,
    writer: new PostgresWriter(async () => transactions.client),
    begin: (turn) => transactions.begin(turn),
    commit: () => transactions.commit(),
    rollback: () => transactions.rollback(),
    openSession: async () => {
      const client = new pg.Client({ ...options, statement_timeout: 0 });
      client.on("error", () => {});
      await client.connect();
      return new PostgresSession(client);
    },
    failureOf,
    isTransient,
    scrub: (tables) => scrub(pool, tables),
    close: async () => {
      await pool.end();
      await transactions.close();
    },
  };
}
