import type { Client, Pool } from "pg";
import type { Driver } from "./connection.ts";
import { DIALECT } from "./postgres/dialect.ts";
import { failureOf, isTransient } from "./postgres/failures.ts";
import { scrub } from "./postgres/scrub.ts";
import { PostgresReader, PostgresWriter } from "./postgres/statements.ts";
import { SharedRead } from "./shared-read.ts";

/** Connections for reads; writes have one of their own. */
const READ_CONNECTIONS = 8;

/** A statement that takes longer than this is stuck. */
const STATEMENT_TIMEOUT_MS = 20_000;

/** Opens PostgreSQL, or a compatible database, for any number of replicas. */
export async function openPostgres(url: string): Promise<Driver> {
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

  let connecting: Promise<Client> | undefined;
  const connect = async (): Promise<Client> => {
    const client = new pg.Client(options);
    client.on("error", () => {
      connecting = undefined;
    });
    await client.connect();
    return client;
  };
  // A transaction stays on the connection that began it: if that breaks, the rest must fail too.
  let transaction: Client | undefined;
  const inTransaction = async (): Promise<Client> => {
    if (transaction === undefined) throw new Error("no transaction is open");
    return transaction;
  };
  const end = async (sql: string) => {
    const client = await inTransaction();
    transaction = undefined;
    const { command } = await client.query(sql);
    // PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK, which is not an error.
    if (command !== sql) throw new Error(`${sql} was answered with ${command}`);
  };

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
    writer: new PostgresWriter(inTransaction),
    begin: async () => {
      connecting ??= connect().catch((error: unknown) => {
        connecting = undefined;
        throw error;
      });
      const client = await connecting;
      await client.query("BEGIN");
      transaction = client;
    },
    commit: () => end("COMMIT"),
    rollback: () => end("ROLLBACK"),
    failureOf,
    isTransient,
    scrub: (tables) => scrub(pool, tables),
    close: async () => {
      await pool.end();
      await (await connecting)?.end();
    },
  };
}
