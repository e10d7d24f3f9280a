import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { arch, availableParallelism, platform, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { isBuilt } from "./built.ts";
import type { Cores } from "./cores.ts";
import { median } from "./measure.ts";
import type { Options } from "./options.ts";
import type { Measured, Row, Target } from "./row.ts";

const RESULTS = join(import.meta.dirname, "results");

/** A row with its result. */
export interface Finding {
  readonly work: string;
  readonly reference: string;
  readonly unit: Measured["unit"];
  readonly ours: number;
  readonly referenceFigure: number;
  readonly ratio: number;
  readonly target: string;
  readonly met: boolean;
  readonly notes: readonly string[];
  readonly measurements: Pick<Measured, "ours" | "reference">;
}

export function findingOf({ work, reference, target }: Row, measured: Measured): Finding {
  const ours = median(measured.ours);
  const referenceFigure = median(measured.reference);
  const ratio = ours / referenceFigure;
  return {
    ...{ work, reference, unit: measured.unit, ours, referenceFigure, ratio },
    target: "atLeast" in target ? `≥ ${target.atLeast.toFixed(2)}` : `≤ ${target.atMost}×`,
    met: isMet(target, ratio),
    notes: measured.notes,
    measurements: { ours: measured.ours, reference: measured.reference },
  };
}

function isMet(target: Target, ratio: number): boolean {
  return "atLeast" in target ? ratio >= target.atLeast : ratio <= target.atMost;
}

export const TABLE_HEAD = `| work | ours | reference | ratio | target | met |
|---|---|---|---|---|---|`;

/** One line of the table. */
export function tableLine(finding: Finding): string {
  const { work, reference, unit, ours, referenceFigure, ratio, target, met } = finding;
  const cells = [
    work,
    figure(ours, unit),
    `${reference}: ${figure(referenceFigure, unit)}`,
    `${ratio.toFixed(2)}${target.endsWith("×") ? "×" : ""}`,
    target,
    met ? "yes" : "NO",
  ];
  return `| ${cells.join(" | ")} |`;
}

function figure(number: number, unit: Measured["unit"]): string {
  const digits = unit === "ms" ? (number < 10 ? 3 : 1) : 0;
  const shown = number.toLocaleString("en", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return unit === "per s" ? `${shown}/s` : `${shown} ${unit}`;
}

/**
 * Keeps the findings. Only a whole run belongs in the repository; a run that was cut short is for those who
 * ran it.
 */
export function keep(findings: readonly Finding[], options: Options, cores: Cores): string {
  const now = new Date().toISOString();
  const commit = git("rev-parse", "--short", "HEAD");
  const report = {
    made: now,
    commit,
    /** Whether there were uncommitted changes. */
    changed: git("status", "--porcelain") !== "",
    machine: {
      cores: availableParallelism(),
      arch: arch(),
      platform: platform(),
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      node: process.version,
    },
    pinning: cores.note,
    built: isBuilt(),
    settings: options,
    findings,
  };
  const text = `${JSON.stringify(report, undefined, 2)}\n`;
  if (options.quick || options.only !== "") {
    const file = join(tmpdir(), "wharf-bench-partial.json");
    writeFileSync(file, text);
    return file;
  }
  mkdirSync(RESULTS, { recursive: true });
  const name = `${now.slice(0, 10)}-${commit}.json`;
  for (const file of [name, "latest.json"]) writeFileSync(join(RESULTS, file), text);
  return `bench/results/${name}`;
}

function git(...args: string[]): string {
  try {
    return execFileSync("git", args, { cwd: import.meta.dirname, encoding: "utf8" }).trim();
  } catch {
    return "unknown";
  }
}
