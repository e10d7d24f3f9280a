import { parseDatabaseUrl } from "../../../config/database-url.ts";
import type { SessionLimits } from "./connection.ts";
import { Connections } from "./connections.ts";
import { COSTLY_CONNECTIONS, CostlyConnections } from "./costly-connections.ts";
import { Hosts } from "./hosts.ts";
import { Liveness } from "./liveness.ts";
import { LockedTables } from "./locked-tables.ts";
import { PipelinedReads } from "./pipelined-reads.ts";
import { ReadPool } from "./read-pool.ts";
import { isPointRead, isWalk, WALK_SETTINGS } from "./short-reads.ts";
import type { Queryable } from "./statements.ts";
import { Ticks } from "./ticks.ts";

/** Connections for reads of unknown length. */
const READ_CONNECTIONS = 5;

/** Connections for reads of single rows. */
const POINT_CONNECTIONS = 1;

/** Connections for short pages of an index. */
const WALK_CONNECTIONS = 2;

/** Idle connections are closed after this time. */
const IDLE_MS = 60_000;

/** How long each thing may take. Together, a replica is back within five seconds of a reachable primary. */
export interface Timeouts {
  /** The precision of the others. */
  readonly tickMs: number;
  /** From the first packet to the answer of the first query. */
  readonly connectMs: number;
  /** A query without an answer for this time is suspicious. */
  readonly silenceMs: number;
  /** After this time, the hosts other than the last primary are tried, too. */
  readonly staggerMs: number;
  /** After a failed attempt to connect, there is no other for this time. */
  readonly retryMs: number;
  /** A statement that takes longer is stuck. */
  readonly statementMs: number;
  /** How long a read waits for a table that another session has locked. */
  readonly lockMs: number;
  /** How long a read waits for a connection. */
  readonly waitMs: number;
  /** The database ends transactions of replicas that hang or are gone. */
  readonly idleInTransactionMs: number;
  /** A ROLLBACK that takes longer is given up, with its connection. */
  readonly rollbackMs: number;
  /** How long to ask for the outcome of a commit whose connection broke: most callers wait 30 seconds. */
  readonly outcomeMs: number;
}

const TIMEOUTS: Timeouts = {
  tickMs: 250,
  connectMs: 3_000,
  silenceMs: 1_500,
  staggerMs: 500,
  retryMs: 250,
  statementMs: 20_000,
  lockMs: 5_000,
  waitMs: 5_000,
  idleInTransactionMs: 10_000,
  rollbackMs: 2_000,
  outcomeMs: 15_000,
};

/** The connections of this replica to one or several hosts, of which one is the primary. */
export interface Cluster {
  readonly connections: Connections;
  /** The connections for a read. */
  readsFor(sql: string): Queryable;
  readonly costly: CostlyConnections;
  readonly locked: LockedTables;
  /** Of sessions that are not for reads. */
  readonly limits: SessionLimits;
  readonly timeouts: Timeouts;
  /** Reads that wait for a connection. */
  readonly readsWaiting: number;
  /** Waits for reads in progress, but not long. */
  drain(): Promise<void>;
  /** Closes what is still open. */
  stop(): void;
}

/** Connects to the primary, or says why it cannot be used. Changed timeouts precede those of the URL. */
export async function connectCluster(
  url: string,
  changed: Partial<Timeouts>,
  applicationName: string,
): Promise<Cluster> {
  const { default: pg } = await import("pg");
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  const { hosts, connectTimeoutMs, statementTimeoutMs } = parseDatabaseUrl(url);
  const timeouts = { ...TIMEOUTS, ...changed };
  const connectMs = changed.connectMs ?? connectTimeoutMs ?? TIMEOUTS.connectMs;
  const statementMs = changed.statementMs ?? statementTimeoutMs ?? TIMEOUTS.statementMs;
  const { idleInTransactionMs, lockMs, silenceMs } = timeouts;
  const limits: SessionLimits = { statementMs, lockMs: 0, idleInTransactionMs };
  const readLimits: SessionLimits = { ...limits, lockMs };

  const ticks = new Ticks(timeouts.tickMs);
  const connections = new Connections((observer) => {
    const { staggerMs, retryMs } = timeouts;
    const options = { hosts, connectTimeoutMs: connectMs, staggerMs, retryMs };
    return new Hosts(pg.Client, { ...options, applicationName }, ticks, observer);
  });
  const locked = new LockedTables(ticks, timeouts.waitMs);
  const openPool = (size: number) =>
    new ReadPool(connections, ticks, locked, {
      size,
      waitMs: timeouts.waitMs,
      idleMs: IDLE_MS,
      closeMs: silenceMs,
      limits: readLimits,
    });
  const pool = openPool(READ_CONNECTIONS);
  const short = { limits: readLimits, idleMs: IDLE_MS };
  const deps = { connections, pool, locked, ticks };
  const points = new PipelinedReads(deps, { ...short, size: POINT_CONNECTIONS });
  const walks = new PipelinedReads(deps, {
    ...{ ...short, size: WALK_CONNECTIONS, settings: WALK_SETTINGS },
  });
  const costlyPool = openPool(COSTLY_CONNECTIONS);
  const liveness = { silenceMs, checkTimeoutMs: connectMs, limits };
  new Liveness(connections, ticks, liveness, locked);
  const cluster: Cluster = {
    connections,
    locked,
    readsFor: (sql) => (isPointRead(sql) ? points : isWalk(sql) ? walks : pool),
    costly: new CostlyConnections({ connections, costly: costlyPool, others: pool, ticks }),
    limits,
    timeouts,
    get readsWaiting() {
      return pool.waiting + costlyPool.waiting;
    },
    async drain() {
      await Promise.all([pool, points, walks, costlyPool].map((reads) => reads.close()));
    },
    stop() {
      ticks.stop();
      connections.close();
    },
  };
  try {
    pool.offer(await connections.open(readLimits));
  } catch (error) {
    cluster.stop();
    throw error;
  }
  return cluster;
}
