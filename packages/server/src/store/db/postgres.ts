import type { Driver } from "./connection.ts";
import { connectCluster, type Timeouts } from "./postgres/cluster.ts";
import type { Connection } from "./postgres/connection.ts";
import { DIALECT } from "./postgres/dialect.ts";
import { failureOf, isTransient } from "./postgres/failures.ts";
import { scrub } from "./postgres/scrub.ts";
import { PostgresReader, PostgresWriter } from "./postgres/statements.ts";
import { SharedRead } from "./shared-read.ts";

/** Opens PostgreSQL, or a compatible database, for any number of replicas. */
export async function openPostgres(url: string, timeouts: Partial<Timeouts> = {}): Promise<Driver> {
  const cluster = await connectCluster(url, timeouts);
  const { connections, limits, locked, pool } = cluster;

  let writing: Connection | undefined;
  const connect = async (): Promise<Connection> => {
    if (writing?.closed !== undefined) writing = undefined;
    writing ??= await connections.open(limits);
    return writing;
  };
  // A transaction stays on the connection that began it: if that breaks, the rest must fail too.
  let transaction: Connection | undefined;
  const inTransaction = async (): Promise<Connection> => {
    if (transaction === undefined) throw new Error("no transaction is open");
    return transaction;
  };
  const end = async (sql: string) => {
    const connection = await inTransaction();
    transaction = undefined;
    const { command } = await connection.query(sql);
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
  return {
    dialect: DIALECT,
    reader,
    readShared,
    writer: new PostgresWriter(inTransaction, locked),
    begin: async () => {
      const connection = await connect();
      await connection.query("BEGIN");
      transaction = connection;
    },
    commit: () => end("COMMIT"),
    rollback: () => end("ROLLBACK"),
    failureOf,
    isTransient,
    scrub: async (tables) => {
      const connection = await connections.open(limits);
      await scrub(connection, tables).finally(() => connection.end());
    },
    close: async () => {
      await pool.close();
      await writing?.end();
      cluster.stop();
    },
  };
}
