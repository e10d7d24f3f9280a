/** docs/scale.md, made of measured costs. */
import { type Costs, keptQuantile, type LoadPoint, type Size } from "../costs/cost.ts";
import type { Result } from "../results.ts";
import { busyText } from "./performance.ts";
import { SCALE_TEXT } from "./scale-text.ts";

export function scalePage(result: Result): string {
  const { made, commit, machine, findings } = result;
  const costs = result.costs as Costs;
  const { head, method, sizes, ends, next } = SCALE_TEXT;
  const measured = `Measured on ${made.slice(0, 10)} at commit ${commit}: ${machine.cores} cores, ${machine.arch}, Node.js ${machine.node.slice(1)}. Each server process had one core.${busyText(machine)}`;
  const memory = findings.find(({ work }) => work.startsWith("memory with"));
  return `${[
    head,
    `${measured}\n\n${method}`,
    "## What an operation costs",
    costTable(costs),
    "## Response times under load",
    loadTable(costs.loads),
    "## What one machine holds",
    sizes,
    sizeTable(costs.sizes),
    memory?.figures === undefined
      ? ""
      : `A process ${memory.work.replace(/^memory /, "")} needed ${shown(memory.figures.ours)} MiB, an empty one ${shown(memory.figures.reference)} MiB.`,
    "## Where it ends",
    ends,
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

function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const rule = head.map((_, at) => (at === 0 ? "---" : "--:"));
  return [head, rule, ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** The median, and the time that 99 % do not exceed. */
function timesOf(kept: readonly number[]): string[] {
  return [0.5, 0.99].map((share) => `${shown(keptQuantile(kept, share), 2)} ms`);
}

function costTable({ operations }: Costs): string {
  const head = ["operation", "responses per s", "CPU of the server", "CPU of PostgreSQL"];
  const lines = operations.map((cost) => [
    `${cost.operation}, ${cost.store}`,
    shown(cost.perSecond),
    `${shown(cost.serverMicros)} µs`,
    cost.store === "SQLite" ? "–" : `${shown(cost.databaseMicros)} µs`,
  ]);
  return table(head, lines);
}

function loadTable(loads: readonly LoadPoint[]): string {
  const lines = loads.map(({ operation, store, share, perSecond, ms }) => [
    `${operation}, ${store}`,
    `${shown(share * 100)} %`,
    shown(perSecond),
    ...timesOf(ms),
  ]);
  return table(["operation", "load", "requests per s", "median", "99 %"], lines);
}

const GIB = 2 ** 30;

function sizeTable(sizes: readonly Size[]): string {
  const lines = sizes.map(({ kind, rows, bytes }) => [
    kind === "audit" ? "audit entries" : kind,
    shown(rows),
    `${shown(bytes / GIB, 3)} GiB`,
    `${shown(bytes / rows)} bytes`,
  ]);
  return table(["resource", "measured", "with indexes", "each"], lines);
}
