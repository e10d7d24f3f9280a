import { type DatabaseUrl, parseDatabaseUrl } from "../../config/database-url.ts";
import type { Driver } from "./connection.ts";
import type { SessionLimits } from "./postgres/connection.ts";
import { Connections } from "./postgres/connections.ts";
import { DIALECT } from "./postgres/dialect.ts";
import { failureOf, isTransient } from "./postgres/failures.ts";
import { Hosts } from "./postgres/hosts.ts";
import { Liveness } from "./postgres/liveness.ts";
import { LockedTables } from "./postgres/locked-tables.ts";
import { Reads } from "./postgres/reads.ts";
import { scrub } from "./postgres/scrub.ts";
import { PostgresSession } from "./postgres/session.ts";
import { LockAwareWriter } from "./postgres/statements.ts";
import { Ticks } from "./postgres/ticks.ts";
import { TIMEOUTS, type Timeouts } from "./postgres/timeouts.ts";
import { Transactions } from "./postgres/transactions.ts";
import { SharedReads } from "./read/shared-read.ts";

/** Application name of servers in `pg_stat_activity`. */
export const SERVER = "wharf";

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
  const { hosts, ...settings } = parseDatabaseUrl(url);
  const timeouts: Timeouts = { ...timeoutsOf(settings), ...changed };
  const { statementMs, lockMs, idleInTransactionMs } = timeouts;
  const limits: SessionLimits = { statementMs, lockMs: 0, idleInTransactionMs };

  const ticks = new Ticks(timeouts.tickMs);
  const connections = new Connections(
    new Hosts(pg.Client, { hosts, applicationName, timeouts }, ticks),
  );
  const locked = new LockedTables(ticks, timeouts.waitMs);
  new Liveness(connections, ticks, { timeouts, limits }, locked);
  const readLimits = { ...limits, lockMs };
  const reads = new Reads({ connections, ticks, locked }, timeouts, readLimits);
  const stop = () => {
    ticks.stop();
    connections.close();
  };
  try {
    reads.add(await connections.open(readLimits));
  } catch (error) {
    stop();
    throw error;
  }
  return driverOf({ connections, locked, reads, limits, timeouts, stop });
}

/** The timeouts of a database URL, and the usual ones. */
function timeoutsOf({
  connectTimeoutMs,
  statementTimeoutMs,
}: Pick<DatabaseUrl, "connectTimeoutMs" | "statementTimeoutMs">): Timeouts {
  return {
    ...TIMEOUTS,
    ...(connectTimeoutMs !== undefined && { connectMs: connectTimeoutMs }),
    ...(statementTimeoutMs !== undefined && { statementMs: statementTimeoutMs }),
  };
}

interface DriverDeps {
  readonly connections: Connections;
  readonly locked: LockedTables;
  readonly reads: Reads;
  readonly limits: SessionLimits;
  readonly timeouts: Timeouts;
  /** Closes all connections. */
  readonly stop: () => void;
}

function driverOf({ connections, locked, reads, limits, timeouts, stop }: DriverDeps): Driver {
  const transactions = new Transactions(
    {
      open: () => connections.open(limits),
      discard: (connection) => connections.destroy(connection, "its transaction was given up"),
    },
    timeouts,
  );
  const shared = new SharedReads(reads.reader);
  return {
    dialect: DIALECT,
    reader: reads.reader,
    costly: reads.costly,
    readShared: (sql) => shared.read(sql),
    writer: new LockAwareWriter(() => transactions.client, locked),
    pipelines: true,
    get load() {
      return { connections: connections.all.size, readsWaiting: reads.waiting };
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
      await reads.close();
      await transactions.close();
      stop();
    },
  };
}
