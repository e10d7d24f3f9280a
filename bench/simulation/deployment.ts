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

/** Beyond this share of responses of an idle server, a long response is a pause of the process. */
const PAUSE_SHARE = 0.98;

/** How much longer than the median a response of an idle server took, in two parts. */
export interface Deviation {
  /** Scheduling, sockets and the client: occupies nothing. Negative for responses that were faster. */
  readonly jitter: number;
  /** A pause such as a garbage collection, during which the process serves nobody. */
  readonly pause: number;
}

/** Draws a deviation from the measured distribution. */
export function deviationOf({ idleMs }: Cost, random: Random): Deviation {
  const deviation = valueAt(idleMs, random.uniform()) - keptQuantile(idleMs, 0.5);
  const jitter = Math.min(deviation, keptQuantile(idleMs, PAUSE_SHARE) - keptQuantile(idleMs, 0.5));
  return { jitter, pause: deviation - jitter };
}

/** The mean pause of all responses. It is part of the CPU time, so it must not be counted twice. */
export function meanPause({ idleMs }: Cost): number {
  const from = keptQuantile(idleMs, PAUSE_SHARE);
  let mean = 0;
  for (let at = QUANTILES.indexOf(PAUSE_SHARE) + 1; at < QUANTILES.length; at++) {
    const width = (QUANTILES[at] ?? 1) - (QUANTILES[at - 1] ?? 1);
    const [low = from, high = from] = [idleMs[at - 1], idleMs[at]];
    mean += width * ((low + high) / 2 - from);
  }
  return mean;
}

/** The largest part of the CPU time that pauses are. */
const MAX_PAUSES = 0.8;

/**
 * The share of pauses during which the process serves nobody. They are part of its CPU time: what is longer in total was
 * the wait of an idle process for a core, which a busy one has.
 */
export function occupyingShare(cost: Cost): number {
  const most = (MAX_PAUSES * cost.serverMicros) / 1000;
  return Math.min(1, most / Math.max(most, meanPause(cost)));
}

/** The value at a share of responses, between the kept quantiles. */
function valueAt(kept: readonly number[], share: number): number {
  const above = QUANTILES.findIndex((one) => one > share);
  const [low = 0, high = 1] = [QUANTILES[above - 1], QUANTILES[above]];
  const [from = 0, to = 0] = [kept[above - 1], kept[above]];
  return from + ((to - from) * (share - low)) / (high - low);
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
  const received = Math.min(server, partsOf(costs, "GET", store).server);
  const occupying = occupyingShare(cost);
  // Pauses vary the CPU time; they do not add to it.
  const steady = server - occupying * meanPause(cost);
  return {
    name: operation,
    perSecond,
    stages(random) {
      // Connections are distributed evenly, requests at random.
      const station = loopOf(Math.floor(random.uniform() * processes));
      const { jitter, pause } = deviationOf(cost, random);
      if (operation !== "create") {
        const waited = rest + jitter + (1 - occupying) * pause;
        const delay = { delay: Math.max(0, waited) + networkMs };
        const loop = { station, each: steady + occupying * pause };
        return store === "SQLite"
          ? [loop, delay]
          : [loop, { station: DATABASE, each: database }, delay];
      }
      // What varies is the flush of the commit.
      const shared = Math.max(0, commit + jitter + pause);
      const delay = { delay: rest + networkMs };
      if (store === "PostgreSQL") {
        const commits = { station: `commits of ${station}`, each: 0, shared };
        return [{ station, each: server }, { station: DATABASE, each: database }, commits, delay];
      }
      // A process of its own blocks while it commits; of several, one at a time writes.
      if (processes === 1) return [{ station, each: server, shared }, delay];
      const turn = { station: WRITE_TURN, each: server - received, shared };
      return [{ station, each: received }, turn, delay];
    },
  };
}
