import { parseDatabaseUrl } from "../../config/database-url.ts";
import type { Driver, Value } from "./connection.ts";
import type { SessionLimits } from "./postgres/connection.ts";
import { Connections } from "./postgres/connections.ts";
import { COSTLY_CONNECTIONS, CostlyConnections } from "./postgres/costly-connections.ts";
import { DIALECT } from "./postgres/dialect.ts";
import { failureOf, isTransient } from "./postgres/failures.ts";
import { Hosts } from "./postgres/hosts.ts";
import { Liveness } from "./postgres/liveness.ts";
import { LockedTables } from "./postgres/locked-tables.ts";
import { ReadConnections, type ShortReads } from "./postgres/read-connections.ts";
import { scrub } from "./postgres/scrub.ts";
import { PostgresSession } from "./postgres/session.ts";
import { isPointRead, isWalk, WALK_SETTINGS } from "./postgres/short-reads.ts";
import { LockAwareWriter, PostgresReader } from "./postgres/statements.ts";
import { Ticks } from "./postgres/ticks.ts";
import { TIMEOUTS, type Timeouts } from "./postgres/timeouts.ts";
import { Transactions } from "./postgres/transactions.ts";
import { SharedRead } from "./read/shared-read.ts";

/** Application name of servers in `pg_stat_activity`. */
export const SERVER = "wharf";

/** Connections for reads of unknown length. */
const READ_CONNECTIONS = 5;

/** Connections for reads of single rows. */
const POINT_CONNECTIONS = 1;

/** Connections for short pages of an index. */
const WALK_CONNECTIONS = 2;

/**
 * Opens PostgreSQL for any number of replicas, by the primary among one host or several; or says why it cannot be used.
 * Changed timeouts precede those of the URL.
 */
export async function openPostgres(
  url: string,
  changed: Partial<Timeouts> = {},
  applicationName = SERVER,
): Promise<Driver> {
  const { default: pg } = await import("pg");
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  const { hosts, connectTimeoutMs, statementTimeoutMs } = parseDatabaseUrl(url);
  const timeouts: Timeouts = {
    ...TIMEOUTS,
    ...(connectTimeoutMs !== undefined && { connectMs: connectTimeoutMs }),
    ...(statementTimeoutMs !== undefined && { statementMs: statementTimeoutMs }),
    ...changed,
  };
  const { statementMs, lockMs, idleInTransactionMs } = timeouts;
  const limits: SessionLimits = { statementMs, lockMs: 0, idleInTransactionMs };
  const readLimits: SessionLimits = { ...limits, lockMs };

  const ticks = new Ticks(timeouts.tickMs);
  const connections = new Connections(
    new Hosts(pg.Client, { hosts, applicationName, timeouts }, ticks),
  );
  const locked = new LockedTables(ticks, timeouts.waitMs);
  new Liveness(connections, ticks, { timeouts, limits }, locked);

  const deps = { connections, ticks, locked };
  const open = (size: number, short?: ShortReads) =>
    new ReadConnections(deps, { size, timeouts, limits: readLimits, short });
  const others = open(READ_CONNECTIONS);
  const points = open(POINT_CONNECTIONS, { others });
  const walks = open(WALK_CONNECTIONS, { others, settings: WALK_SETTINGS });
  const costly = open(COSTLY_CONNECTIONS);
  const reader = new PostgresReader((sql) =>
    isPointRead(sql) ? points : isWalk(sql) ? walks : others,
  );
  const transactions = new Transactions(
    {
      open: () => connections.open(limits),
      discard: (connection) => connections.destroy(connection, "its transaction was given up"),
    },
    timeouts,
  );
  const stop = () => {
    ticks.stop();
    connections.close();
  };
  try {
    others.add(await connections.open(readLimits));
  } catch (error) {
    stop();
    throw error;
  }

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
    costly: new CostlyConnections(deps, costly, others),
    readShared,
    writer: new LockAwareWriter(() => transactions.client, locked),
    pipelines: true,
    get load() {
      const readsWaiting = others.waiting + costly.waiting;
      return { connections: connections.all.size, readsWaiting };
    },
    begin: (mode, first, lenient) => transactions.begin(mode, first, lenient),
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
      await Promise.all([others, points, walks, costly].map((reads) => reads.close()));
      await transactions.close();
      stop();
    },
  };
}
