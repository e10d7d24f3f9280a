/** docs/scale.md and its charts, made of measured costs by the simulation. */
import type { Costs, Size } from "../costs/cost.ts";
import { keptQuantile } from "../costs/cost.ts";
import type { Result } from "../results.ts";
import type { Deployment, Mix } from "../simulation/deployment.ts";
import { type Check, capacityOf, checksOf, predict } from "../simulation/predict.ts";
import { type Curve, lineChart } from "./line-chart.ts";
import { busyText } from "./performance.ts";
import { SCALE_TEXT } from "./scale-text.ts";

/** The requests of a usual installation. */
const MIX: Mix = { GET: 0.8, "list 50": 0.15, create: 0.05 };

/** A round trip within a data center, between the load balancer, servers and PostgreSQL. */
const NETWORK_MS = 0.5;

const WORKERS = [1, 2, 4, 8];

/** Replicas, and the cores of PostgreSQL. */
const REPLICAS = [
  [1, 4],
  [2, 4],
  [4, 8],
  [8, 16],
  [16, 16],
  [16, 32],
] as const;

const SHARES = [0.1, 0.25, 0.5, 0.65, 0.8, 0.9];

interface Named extends Deployment {
  readonly name: string;
}

const ON_SQLITE: readonly Named[] = WORKERS.map((processes) => ({
  name: processes === 1 ? "SQLite, one process" : `SQLite, ${processes} workers`,
  ...{ store: "SQLite", processes, databaseCores: 1, networkMs: NETWORK_MS },
}));

const ON_POSTGRES: readonly Named[] = REPLICAS.map(([processes, databaseCores]) => ({
  name: `PostgreSQL (${databaseCores} cores), ${processes} replica${processes === 1 ? "" : "s"}`,
  ...{ store: "PostgreSQL", processes, databaseCores, networkMs: NETWORK_MS },
}));

const DEPLOYMENTS: readonly Named[] = [...ON_SQLITE, ...ON_POSTGRES];

const QUICK_TEXT =
  " **Provisional**: from a quick run, with short measurements of small data sets.";

/** The page and its charts: contents by path below docs. */
export function scaleFiles(result: Result, requests: number): Map<string, string> {
  const costs = result.costs as Costs;
  return new Map([
    ["scale.md", scalePage(result, costs, requests)],
    ["images/scale-latency.svg", latencyChart(costs, requests)],
    ["images/scale-capacity.svg", capacityChart(costs)],
  ]);
}

function scalePage(result: Result, costs: Costs, requests: number): string {
  const { made, commit, machine, findings, settings } = result;
  const checks = checksOf(costs, requests);
  const { head, method, model, sizes, ends, next } = SCALE_TEXT;
  const memory = findings.find(({ work }) => work.startsWith("memory with"))?.figures;
  const measured = `Measured on ${made.slice(0, 10)} at commit ${commit}: ${machine.cores} cores, ${machine.arch}, Node.js ${machine.node.slice(1)}. Each server process had one core.${settings.quick ? QUICK_TEXT : ""}${busyText(machine)}`;
  return `${[
    head,
    `${measured}\n\n${method}`,
    "## What an operation costs",
    costTable(costs),
    "## How good the model is",
    model,
    checkTable(checks),
    errorText(checks),
    "## What deployments do",
    `Predicted for ${mixText(MIX)}, and a network of ${NETWORK_MS} ms. The capacity is where the busiest part is always busy; plan for half of it.`,
    "![Predicted response times](images/scale-latency.svg)",
    "![Predicted capacity](images/scale-capacity.svg)",
    deploymentTable(costs, requests),
    "## What one machine holds",
    sizes,
    sizeTable(costs.sizes),
    memory === undefined
      ? ""
      : `A process with ${findings.find(({ work }) => work.startsWith("memory with"))?.work.replace(/^memory with /, "")} needed ${Math.round(memory.ours)} MiB, an empty one ${Math.round(memory.reference)} MiB: rows stay on disk, and memory hardly grows with them.`,
    "## Where it ends",
    ends(limits(costs)),
    next,
  ]
    .filter((part) => part !== "")
    .join("\n\n")}\n`;
}

function shown(number: number, digits = 0): string {
  return number.toLocaleString("en", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** Two significant digits: predictions are not more exact. */
function rounded(number: number): string {
  return Number(number.toPrecision(2)).toLocaleString("en");
}

function percent(share: number): string {
  return `${share >= 0 ? "+" : "−"}${shown(Math.abs(share) * 100)} %`;
}

function mixText(mix: Mix): string {
  const parts = Object.entries(mix).map(([operation, share]) => `${share * 100} % ${operation}`);
  return parts.join(", ");
}

function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const rule = head.map((_, at) => (at === 0 ? "---" : "--:"));
  return [head, rule, ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function costTable({ operations }: Costs): string {
  const head = [
    ...["operation", "store", "responses per s", "CPU of the server", "CPU of PostgreSQL"],
    ...["idle, median", "idle, 99 %"],
  ];
  const lines = operations.map((cost) => [
    cost.operation,
    cost.store,
    shown(cost.perSecond),
    `${shown(cost.serverMicros)} µs`,
    cost.store === "SQLite" ? "–" : `${shown(cost.databaseMicros)} µs`,
    `${shown(keptQuantile(cost.idleMs, 0.5), 2)} ms`,
    `${shown(keptQuantile(cost.idleMs, 0.99), 2)} ms`,
  ]);
  return table(head, lines);
}

function checkTable(checks: readonly Check[]): string {
  const head = [
    "operation",
    "load",
    "p50 measured",
    "predicted",
    "error",
    "p99 measured",
    "predicted",
    "error",
  ];
  const lines = checks.map(({ point, measured, predicted, error }) => [
    `${point.operation}, ${point.store}`,
    `${point.share * 100} %`,
    `${shown(measured.p50Ms, 2)} ms`,
    `${shown(predicted.p50Ms, 2)} ms`,
    percent(error.p50),
    `${shown(measured.p99Ms, 2)} ms`,
    `${shown(predicted.p99Ms, 2)} ms`,
    percent(error.p99),
  ]);
  return table(head, lines);
}

function errorText(checks: readonly Check[]): string {
  const middle = (errors: number[]) => {
    const sorted = errors.map(Math.abs).sort((a, b) => a - b);
    return `${shown((sorted[sorted.length >> 1] ?? 0) * 100)} %`;
  };
  const p50 = middle(checks.map(({ error }) => error.p50));
  const p99 = middle(checks.map(({ error }) => error.p99));
  return `The median error is ${p50} for the median and ${p99} for the 99th percentile, in either direction.`;
}

function deploymentTable(costs: Costs, requests: number): string {
  const head = [
    "deployment",
    "capacity",
    "half of it: p50",
    "p99",
    "80 %: p50",
    "p99",
    "busiest at 80 %",
  ];
  const lines = DEPLOYMENTS.map((deployment) => {
    const capacity = capacityOf(costs, deployment, MIX);
    const half = predict(costs, deployment, MIX, capacity / 2, requests);
    const most = predict(costs, deployment, MIX, capacity * 0.8, requests);
    return [
      deployment.name,
      `${rounded(capacity)}/s`,
      ...[half, most].flatMap(({ p50Ms, p99Ms }) => [
        `${shown(p50Ms, 1)} ms`,
        `${shown(p99Ms, 1)} ms`,
      ]),
      most.bottleneck,
    ];
  });
  return table(head, lines);
}

const GIB = 2 ** 30;

function sizeTable(sizes: readonly Size[]): string {
  const lines = sizes.map(({ kind, rows, bytes }) => [
    kind === "audit" ? "audit entries" : kind,
    `${shown(bytes / rows)} bytes`,
    `${shown((bytes / rows) * (1e6 / GIB), 2)} GiB`,
    `${rounded((100 * GIB) / (bytes / rows) / 1e6)} million`,
  ]);
  return table(["resource", "each, with indexes", "a million", "in 100 GiB"], lines);
}

/** Figures for the text about limits. */
function limits(costs: Costs) {
  const at = (deployment: Named | undefined, mix: Mix) =>
    rounded(capacityOf(costs, deployment as Named, mix));
  return {
    oneProcess: at(ON_SQLITE[0], MIX),
    workers: at(ON_SQLITE.at(-1), MIX),
    workersCreate: at(ON_SQLITE.at(-1), { create: 1 }),
    oneReplica: at(ON_POSTGRES[0], MIX),
    replicas: at(ON_POSTGRES.at(-1), MIX),
    replicasCreate: at(ON_POSTGRES.at(-1), { create: 1 }),
  };
}

/** Response times by load: each curve ends at 90 % of its capacity. */
function latencyChart(costs: Costs, requests: number): string {
  const curves = [...ON_SQLITE, ...ON_POSTGRES.slice(0, 4)].map((deployment, at): Curve => {
    const capacity = capacityOf(costs, deployment, MIX);
    const points = SHARES.map((share) => {
      const at = capacity * share;
      const { perSecond, p99Ms } = predict(costs, deployment, MIX, at, requests);
      return [perSecond, p99Ms] as const;
    });
    const isDashed = deployment.store === "PostgreSQL";
    return { name: shortName(deployment), points, color: at % 4, isDashed };
  });
  return lineChart({
    title: "Predicted response time that 99 % of the requests do not exceed",
    description: `Eight deployments, each up to 90 % of its capacity. ${curves.map(({ name, points }) => `${name}: ${shown(points.at(-1)?.[1] ?? 0, 1)} ms at ${rounded(points.at(-1)?.[0] ?? 0)} requests per second.`).join(" ")}`,
    x: "requests per second",
    y: "ms",
    curves,
  });
}

/** Capacity by processes, for reads, the usual mix and writes. */
function capacityChart(costs: Costs): string {
  const mixes: [string, Mix][] = [
    ["reads", { GET: 1 }],
    ["usual mix", MIX],
    ["creates", { create: 1 }],
  ];
  const processes = [1, 2, 4, 8, 16, 32];
  const curves = (["SQLite", "PostgreSQL"] as const).flatMap((store) =>
    mixes.map(([name, mix], color) => ({
      ...{ color, isDashed: store === "PostgreSQL" },
      name: `${name}, ${store === "SQLite" ? "SQLite" : "PG, 16 cores"}`,
      points: processes.map((count) => {
        const deployment = { store, processes: count, databaseCores: 16, networkMs: NETWORK_MS };
        return [count, capacityOf(costs, deployment, mix)] as const;
      }),
    })),
  );
  return lineChart({
    title: "Predicted capacity by the number of server processes",
    description: `${curves.map(({ name, points }) => `${name}: ${rounded(points[0]?.[1] ?? 0)} requests per second with one process, ${rounded(points.at(-1)?.[1] ?? 0)} with 32.`).join(" ")}`,
    x: "server processes, each with a core",
    y: "requests per second",
    curves,
  });
}

function shortName({ store, processes, databaseCores }: Deployment): string {
  return store === "SQLite" ? `SQLite × ${processes}` : `PG ${databaseCores} cores × ${processes}`;
}
