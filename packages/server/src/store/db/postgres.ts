import type { Driver, Value } from "./connection.ts";
import { connectCluster, type Timeouts } from "./postgres/cluster.ts";
import { DIALECT } from "./postgres/dialect.ts";
import { failureOf, isTransient } from "./postgres/failures.ts";
import { scrub } from "./postgres/scrub.ts";
import { PostgresSession } from "./postgres/session.ts";
import { LockAwareWriter, PostgresReader } from "./postgres/statements.ts";
import { Transactions } from "./postgres/transactions.ts";
import { SharedRead } from "./read/shared-read.ts";

/** What servers and admin commands call themselves in `pg_stat_activity`. */
export const SERVER = "wharf";

/** Opens PostgreSQL, or a compatible database, for any number of replicas. */
export async function openPostgres(
  url: string,
  timeouts: Partial<Timeouts> = {},
  applicationName = SERVER,
): Promise<Driver> {
  const cluster = await connectCluster(url, timeouts, applicationName);
  const { connections, costly, limits, locked } = cluster;
  const transactions = new Transactions(
    {
      open: () => connections.open(limits),
      discard: (connection) => connections.destroy(connection, "its transaction was given up"),
    },
    cluster.timeouts,
  );

  const reader = new PostgresReader((sql) => cluster.readsFor(sql));
  const shared = new Map<string, SharedRead<(readonly Value[])[]>>();
  const readShared = <R extends readonly Value[]>(sql: string) => {
    let read = shared.get(sql);
    if (read === undefined) {
      read = new SharedRead(() => reader.arrays(sql));
      shared.set(sql, read);
    }
    return read.read() as Promise<R[]>;
  };
  return {
    dialect: DIALECT,
    reader,
    costly,
    readShared,
    writer: new LockAwareWriter(() => transactions.client, locked),
    pipelines: true,
    get load() {
      return { connections: connections.all.size, readsWaiting: cluster.readsWaiting };
    },
    begin: (turn, first, lenient) => transactions.begin(turn, first, lenient),
    commit: () => transactions.commit(),
    rollback: () => transactions.rollback(),
    // Migrations take as long as they take.
    openSession: async () =>
      new PostgresSession(await connections.open({ ...limits, statementMs: 0 })),
    failureOf,
    isTransient,
    scrub: async (tables) => {
      const connection = await connections.open(limits);
      await scrub(connection, tables).finally(() => connection.end());
    },
    close: async () => {
      await cluster.drain();
      await transactions.close();
      cluster.stop();
    },
  };
}
