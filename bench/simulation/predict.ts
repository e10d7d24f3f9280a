/** Predictions of the model, and its error against measurements. */
import { type Costs, keptQuantile, type LoadPoint, quantile } from "../costs/cost.ts";
import { costOf, type Deployment, type Mix, modelOf, partsOf } from "./deployment.ts";
import { simulate } from "./simulate.ts";

/** Simulated requests of a prediction. */
export const REQUESTS = 30_000;

const SEED = 1;

/** Predicted response times of all requests together. */
export interface Prediction {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The busiest station, and its share of time. */
  readonly bottleneck: string;
  readonly busy: number;
}

export function predict(
  costs: Costs,
  deployment: Deployment,
  mix: Mix,
  perSecond: number,
  requests = REQUESTS,
): Prediction {
  const model = modelOf(costs, deployment, mix, perSecond);
  const { times, busy } = simulate(model, { requests, seed: SEED });
  const all = Float64Array.from([...times.values()].flatMap((some) => [...some])).sort();
  const [[bottleneck, share] = ["", 0]] = [...busy].sort(([, a], [, b]) => b - a);
  return {
    perSecond,
    p50Ms: quantile(all, 0.5),
    p99Ms: quantile(all, 0.99),
    bottleneck,
    busy: share,
  };
}

/**
 * The requests per second at which a station is always busy. Commits do not count: the more requests wait, the more
 * share one.
 */
export function capacityOf(costs: Costs, deployment: Deployment, mix: Mix): number {
  const { store, processes, databaseCores } = deployment;
  const demand = { server: 0, database: 0, writeTurn: 0 };
  for (const [operation, share] of Object.entries(mix) as [keyof Mix, number][]) {
    const { server, database } = partsOf(costs, operation, store);
    const received = partsOf(costs, "GET", store).server;
    const isWrite = operation === "create";
    const saturated = 1000 / costOf(costs, operation, store).perSecond;
    if (store === "PostgreSQL" || !isWrite) demand.server += share * server;
    else if (processes === 1) demand.server += share * Math.max(server, saturated);
    else {
      demand.server += share * Math.min(server, received);
      demand.writeTurn += share * (Math.max(server, saturated) - Math.min(server, received));
    }
    demand.database += share * database;
  }
  const busiest = Math.max(
    demand.server / processes,
    demand.database / databaseCores,
    demand.writeTurn,
  );
  return 1000 / busiest;
}

/** A measured load beside its prediction. */
export interface Check {
  readonly point: LoadPoint;
  readonly measured: { readonly p50Ms: number; readonly p99Ms: number };
  readonly predicted: { readonly p50Ms: number; readonly p99Ms: number };
  /** Predicted by measured, less one. */
  readonly error: { readonly p50: number; readonly p99: number };
}

/** Predicts every measured load of one process. */
export function checksOf(costs: Costs, requests = REQUESTS): Check[] {
  return costs.loads.map((point) => {
    const { store, operation, perSecond } = point;
    const deployment = { store, processes: 1, databaseCores: 1, networkMs: 0 };
    const predicted = predict(costs, deployment, { [operation]: 1 }, perSecond, requests);
    const measured = { p50Ms: keptQuantile(point.ms, 0.5), p99Ms: keptQuantile(point.ms, 0.99) };
    const error = {
      p50: predicted.p50Ms / measured.p50Ms - 1,
      p99: predicted.p99Ms / measured.p99Ms - 1,
    };
    return { point, measured, predicted, error };
  });
}
