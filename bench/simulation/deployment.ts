/** Models of deployments, made of measured costs. */
import {
  type Cost,
  type Costs,
  keptQuantile,
  type Operation,
  QUANTILES,
  type StoreName,
} from "../costs/cost.ts";
import type { Random } from "./random.ts";
import type { Model, Workload } from "./simulate.ts";

/** How the server is run. */
export interface Deployment {
  readonly store: StoreName;
  /** Server processes, each with a core of its own: workers on SQLite, workers or replicas on PostgreSQL. */
  readonly processes: number;
  /** Cores of PostgreSQL. */
  readonly databaseCores: number;
  /** The round trip between clients, server and PostgreSQL that the measurement on one machine did not have. */
  readonly networkMs: number;
}

/** The share of each operation in all requests. */
export type Mix = Readonly<Partial<Record<Operation, number>>>;

const DATABASE = "database";

/** Workers write to SQLite in turn. */
const WRITE_TURN = "write turn";

/** The parts of the response time of an idle server. */
export interface Parts {
  /** The CPU time of the server. */
  readonly server: number;
  /** The CPU time of PostgreSQL. */
  readonly database: number;
  /** The time of a commit, which requests that wait at the same time share; 0 for reads. */
  readonly commit: number;
  /** The rest: sockets, scheduling, and the client. */
  readonly rest: number;
}

export function costOf({ operations }: Costs, operation: Operation, store: StoreName): Cost {
  const found = operations.find((cost) => cost.operation === operation && cost.store === store);
  if (found === undefined) throw new Error(`the cost of ${operation} on ${store} was not measured`);
  return found;
}

/** A create waits for its commit, and for what a GET waits for, too. */
export function partsOf(costs: Costs, operation: Operation, store: StoreName): Parts {
  const cost = costOf(costs, operation, store);
  const server = cost.serverMicros / 1000;
  const database = cost.databaseMicros / 1000;
  const waiting = Math.max(0, keptQuantile(cost.idleMs, 0.5) - server - database);
  if (operation !== "create") return { server, database, commit: 0, rest: waiting };
  const { rest } = partsOf(costs, "GET", store);
  return { server, database, commit: Math.max(0, waiting - rest), rest: Math.min(waiting, rest) };
}

/**
 * A pause of the process, such as a garbage collection: what responses of an idle server take beyond the median. Drawn
 * from the measured distribution.
 */
export function pauseOf({ idleMs }: Cost, random: Random): number {
  const share = random.uniform();
  const above = QUANTILES.findIndex((one) => one > share);
  const [low = 0, high = 1] = [QUANTILES[above - 1], QUANTILES[above]];
  const [from = 0, to = 0] = [idleMs[above - 1], idleMs[above]];
  const value = from + ((to - from) * (share - low)) / (high - low);
  return Math.max(0, value - keptQuantile(idleMs, 0.5));
}

function loopOf(process: number): string {
  return `process ${process}`;
}

/** The model of a deployment with so many requests per second. */
export function modelOf(costs: Costs, deployment: Deployment, mix: Mix, perSecond: number): Model {
  const { store, processes, databaseCores } = deployment;
  const stations = new Map<string, number>();
  for (let at = 0; at < processes; at++) {
    stations.set(loopOf(at), 1);
    if (store === "PostgreSQL") stations.set(`commits of ${loopOf(at)}`, 1);
  }
  if (store === "PostgreSQL") stations.set(DATABASE, databaseCores);
  else if (processes > 1) stations.set(WRITE_TURN, 1);
  const workloads = (Object.entries(mix) as [Operation, number][]).map(([operation, share]) =>
    workloadOf(costs, deployment, operation, perSecond * share),
  );
  return { stations, workloads };
}

function workloadOf(
  costs: Costs,
  { store, processes, networkMs }: Deployment,
  operation: Operation,
  perSecond: number,
): Workload {
  const cost = costOf(costs, operation, store);
  const { server, database, commit, rest } = partsOf(costs, operation, store);
  const isWrite = operation === "create";
  const received = Math.min(server, partsOf(costs, "GET", store).server);
  return {
    name: operation,
    perSecond,
    stages(random) {
      // Connections are distributed evenly, requests at random.
      const station = loopOf(Math.floor(random.uniform() * processes));
      const pause = pauseOf(cost, random);
      const delay = { delay: rest + networkMs };
      if (store === "PostgreSQL") {
        const atDatabase = { station: DATABASE, each: database };
        if (!isWrite) return [{ station, each: server + pause }, atDatabase, delay];
        const commits = { station: `commits of ${station}`, each: 0, shared: commit + pause };
        return [{ station, each: server }, atDatabase, commits, delay];
      }
      if (!isWrite) return [{ station, each: server + pause }, delay];
      // A process of its own blocks while it commits; of several, one at a time writes.
      if (processes === 1) return [{ station, each: server, shared: commit + pause }, delay];
      const turn = { station: WRITE_TURN, each: server - received, shared: commit + pause };
      return [{ station, each: received }, turn, delay];
    },
  };
}
