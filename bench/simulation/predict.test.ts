import assert from "node:assert/strict";
import { test } from "node:test";
import { type Cost, type Costs, type Operation, QUANTILES, type StoreName } from "../costs/cost.ts";
import { deviationOf, meanPause, partsOf } from "./deployment.ts";
import { capacityOf, checksOf, predict } from "./predict.ts";
import { randomOf } from "./random.ts";

/** A server without pauses: every response of an idle one takes the same time. */
function cost(
  operation: Operation,
  store: StoreName,
  micros: [number, number],
  idle: number,
): Cost {
  const [serverMicros, databaseMicros] = micros;
  const idleMs = QUANTILES.map(() => idle);
  const perSecond = 1e6 / serverMicros;
  return { operation, store, perSecond, serverMicros, databaseMicros, idleMs };
}

const COSTS: Costs = {
  operations: [
    cost("GET", "SQLite", [100, 0], 0.3),
    cost("list 50", "SQLite", [400, 0], 0.6),
    cost("create", "SQLite", [250, 0], 1.45),
    cost("GET", "PostgreSQL", [150, 50], 0.5),
    cost("list 50", "PostgreSQL", [500, 200], 1.2),
    cost("create", "PostgreSQL", [400, 300], 3),
  ],
  loads: [],
  sizes: [],
};

const ONE = { store: "SQLite", processes: 1, databaseCores: 1, networkMs: 0 } as const;

function near(actual: number, expected: number, tolerance = 0.01): void {
  assert.ok(Math.abs(actual / expected - 1) <= tolerance, `${actual}, expected ${expected}`);
}

test("the response time of an idle server is divided into its parts", () => {
  assert.deepEqual(partsOf(COSTS, "GET", "SQLite"), {
    ...{ server: 0.1, database: 0, commit: 0 },
    rest: 0.3 - 0.1,
  });
  const create = partsOf(COSTS, "create", "SQLite");
  near(create.commit, 1);
  near(create.rest, 0.2);
});

test("a prediction for an idle server is its measured response time", () => {
  for (const operation of ["GET", "list 50", "create"] as const) {
    const { p50Ms } = predict(COSTS, ONE, { [operation]: 1 }, 1);
    const measured = COSTS.operations.find((one) => one.operation === operation)?.idleMs[0];
    near(p50Ms, measured as number);
  }
});

test("reads scale with processes, writes to SQLite do not", () => {
  const capacity = (processes: number, mix: object) =>
    capacityOf(COSTS, { ...ONE, processes }, mix);
  near(capacity(1, { GET: 1 }), 10_000);
  near(capacity(4, { GET: 1 }), 40_000);
  near(capacity(1, { create: 1 }), 4_000);
  near(capacity(4, { create: 1 }), 1000 / 0.15);
  near(capacity(8, { create: 1 }), 1000 / 0.15);
});

test("replicas scale until PostgreSQL is busy", () => {
  const at = (processes: number) =>
    capacityOf(
      COSTS,
      { store: "PostgreSQL", processes, databaseCores: 2, networkMs: 0 },
      { GET: 1 },
    );
  near(at(1), 1000 / 0.15);
  near(at(3), 3000 / 0.15);
  near(at(100), 2000 / 0.05);
});

test("response times grow with the load, and the bottleneck has a name", () => {
  const at = (share: number) => predict(COSTS, ONE, { GET: 0.9, create: 0.1 }, 8_000 * share);
  const [low, high] = [at(0.1), at(0.8)];
  assert.ok(high.p99Ms > low.p99Ms && high.busy > low.busy);
  assert.equal(high.bottleneck, "process 0");
  const database = { store: "PostgreSQL", processes: 8, databaseCores: 1, networkMs: 1 } as const;
  const behind = predict(COSTS, database, { "list 50": 1 }, 4_500);
  assert.equal(behind.bottleneck, "database");
  assert.ok(behind.p50Ms > 2);
});

test("deviations follow the measured distribution", () => {
  // Half of the responses take 1 to 2 ms, the others 2 ms, and one in fifty up to 12 ms.
  const idleMs = QUANTILES.map((share) => (share <= 0.5 ? 1 + 2 * share : share <= 0.98 ? 2 : 12));
  const random = randomOf(1);
  const one = { ...cost("GET", "SQLite", [100, 0], 1), idleMs };
  const drawn = Array.from({ length: 50_000 }, () => deviationOf(one, random));
  const share = (of: (deviation: (typeof drawn)[number]) => boolean) =>
    drawn.filter(of).length / drawn.length;
  near(
    share(({ jitter }) => jitter < 0),
    0.5,
    0.02,
  );
  near(
    share(({ pause }) => pause > 0),
    0.02,
    0.1,
  );
  const pauses = drawn.map(({ pause }) => pause);
  near(Math.max(...pauses), 10, 0.02);
  near(pauses.reduce((sum, pause) => sum + pause, 0) / pauses.length, meanPause(one), 0.1);
});

test("a measured load is compared with its prediction", () => {
  const ms = QUANTILES.map(() => 0.6);
  const point = { operation: "GET", store: "SQLite", share: 0.1, perSecond: 10, ms } as const;
  const [check] = checksOf({ ...COSTS, loads: [point] });
  near(check?.predicted.p50Ms as number, 0.3);
  near(check?.error.p50 as number, -0.5);
});

test("waits of an idle server beyond its CPU time do not overload a busy one", () => {
  const [get, ...others] = COSTS.operations as [Cost, ...Cost[]];
  // One response in a hundred waits for 20 ms: twice the CPU time, on average.
  const idleMs = QUANTILES.map((share) => (share >= 0.99 ? 20 : 0.3));
  const costs = { ...COSTS, operations: [{ ...get, idleMs }, ...others] };
  const { busy, p50Ms } = predict(costs, ONE, { GET: 1 }, 5_000);
  near(busy, 0.5, 0.15);
  assert.ok(p50Ms < 20, `${p50Ms}`);
});
