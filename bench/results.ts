/** The stored results: one file for each measured commit. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import {
  arch,
  availableParallelism,
  cpus,
  loadavg,
  platform,
  release,
  tmpdir,
  totalmem,
} from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isBuilt } from "./built.ts";
import type { Cores } from "./cores.ts";
import type { Costs } from "./costs/cost.ts";
import type { Finding } from "./finding.ts";
import type { Options } from "./options.ts";

const RESULTS = join(import.meta.dirname, "results");

/** The machine of a run. The first stored results have some of the facts only. */
export interface Machine {
  readonly cores: number;
  readonly model?: string;
  readonly arch: string;
  readonly platform: string;
  readonly release?: string;
  readonly memoryGiB: number;
  readonly node: string;
  /** The load average of the last minute before the run: above 0.5, others used the machine, too. */
  readonly loadBefore?: number;
}

/** One run. */
export interface Result {
  readonly made: string;
  readonly commit: string;
  /** Whether there were uncommitted changes. */
  readonly changed: boolean;
  readonly machine: Machine;
  readonly pinning: string;
  readonly built: boolean;
  readonly settings: Options;
  /** The duration of the run in seconds. */
  readonly took?: number;
  readonly findings: readonly Finding[];
  /** Costs of single operations; absent if they were not measured. */
  readonly costs?: Costs;
}

/** The facts about the machine. */
export function machine(): Machine {
  return {
    cores: availableParallelism(),
    model: cpus()[0]?.model ?? "unknown",
    arch: arch(),
    platform: platform(),
    release: release(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    loadBefore: Number((loadavg()[0] ?? 0).toFixed(2)),
  };
}

/** The findings of a run. */
export type Found = Pick<Result, "machine" | "findings" | "costs" | "took">;

/**
 * Keeps the findings. Only a run of all rows, or of all costs, belongs in the repository; one that was cut short is for
 * those who ran it.
 */
export function keep(found: Found, options: Options, cores: Cores): string {
  if (!isKept(found, options)) return keepPartial(found, options, cores);
  mkdirSync(RESULTS, { recursive: true });
  const result = resultOf(found, options, cores);
  const kind = found.findings.length === 0 ? "-costs" : "";
  const name = `${result.made.slice(0, 10)}-${result.commit}${kind}.json`;
  write(join(RESULTS, name), result);
  return `bench/results/${name}`;
}

/**
 * Keeps what there is of a run outside the repository: also after each row, in case that the run is interrupted. A run of
 * chosen rows does not replace what there is of one of all rows.
 */
export function keepPartial(found: Found, options: Options, cores: Cores): string {
  const file = partialFile(options);
  write(file, resultOf(found, options, cores));
  return file;
}

function partialFile({ only }: Options): string {
  return join(tmpdir(), `wharf-bench-${only === "" ? "partial" : "chosen"}.json`);
}

/** The partial result of an interrupted run; rejects the findings of another commit, or with other options. */
export function readPartial(options: Options): Result {
  const file = partialFile(options);
  if (!existsSync(file)) throw new Error(`no run to resume: ${file} does not exist`);
  const partial = readResult(file);
  const problem = resumeProblem(partial, resultSource(), options);
  if (problem !== undefined) throw new Error(`cannot resume the run in ${file}: ${problem}`);
  return partial;
}

type Source = Pick<Result, "commit" | "changed" | "built">;

/** Why the rows of a run cannot be continued by one of these sources and options; undefined if they can. */
export function resumeProblem(
  partial: Source & Pick<Result, "settings">,
  now: Source,
  options: Options,
): string | undefined {
  if (partial.commit !== now.commit) return `it measured commit ${partial.commit}`;
  if (partial.changed || now.changed) return "there are, or were, uncommitted changes";
  if (partial.built !== now.built) return `it ran ${partial.built ? "the" : "without a"} build`;
  const withoutResume = (settings: Options) => ({ ...settings, resume: false });
  const isSame = isDeepStrictEqual(withoutResume(partial.settings), withoutResume(options));
  return isSame ? undefined : "it had other options";
}

function write(file: string, result: Result): void {
  writeFileSync(file, `${JSON.stringify(result, undefined, 2)}\n`);
}

function resultOf(found: Found, options: Options, cores: Cores): Result {
  const made = new Date().toISOString();
  return { made, ...resultSource(), pinning: cores.note, settings: options, ...found };
}

function resultSource(): Source {
  const commit = git("rev-parse", "--short", "HEAD");
  return { commit, changed: git("status", "--porcelain") !== "", built: isBuilt() };
}

/** Whether a run measured all rows at full size, or the costs and nothing else. */
export function isKept(
  { findings, costs }: Pick<Found, "findings" | "costs">,
  options: Options,
): boolean {
  const { quick, only } = options;
  return !quick && (only === "" || (findings.length === 0 && costs !== undefined));
}

/** All stored results, oldest first. */
export function readResults(folder = RESULTS): Result[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  const results = files.map((name) => readResult(join(folder, name)));
  return results.sort((a, b) => (a.made < b.made ? -1 : 1));
}

function readResult(file: string): Result {
  return JSON.parse(readFileSync(file, "utf8"));
}

function git(...args: string[]): string {
  try {
    return execFileSync("git", args, { cwd: import.meta.dirname, encoding: "utf8" }).trim();
  } catch {
    return "unknown";
  }
}
