/**
 * Runs shards of test files, each in a process group of its own: one that hangs is ended with
 * everything that it started, and processes that one leaves behind do not disturb others.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT } from "../step.ts";
import { type FileResult, MARKER } from "./reporter.ts";

export interface Limits {
  /** How many shards run at the same time. */
  readonly concurrency: number;
  /** How long a shard may take. */
  readonly timeoutMs: number;
}

/** A file that failed, and why. */
export interface Failure {
  readonly file: string;
  readonly problem: string;
}

export interface Summary {
  readonly results: readonly FileResult[];
  readonly failures: readonly Failure[];
}

/** Runs the shards in their order and reports each file as it ends. */
export async function runShards(
  shards: readonly (readonly string[])[],
  limits: Limits,
): Promise<Summary> {
  const waiting = [...shards];
  const results: FileResult[] = [];
  const failures: Failure[] = [];
  const work = async () => {
    for (let files = waiting.shift(); files !== undefined; files = waiting.shift()) {
      await runShard(files, limits.timeoutMs, (result, problem) => {
        results.push(result);
        if (problem !== undefined) failures.push({ file: result.file, problem });
      });
    }
  };
  await Promise.all(Array.from({ length: limits.concurrency }, work));
  return { results, failures };
}

/** A single test may take this share of its shard's time. */
const SHARE_OF_ONE_TEST = 0.5;

/** Output that a process wrote before its end arrives within this time. */
const LAST_OUTPUT_MS = 5_000;

const groups = new Set<number>();

// A group of its own does not get Ctrl-C. Signals lead here by way of support/server/scratch-folder.ts.
process.on("exit", () => {
  for (const group of groups) end(group);
});

async function runShard(
  files: readonly string[],
  timeoutMs: number,
  onResult: (result: FileResult, problem: string | undefined) => void,
): Promise<void> {
  const flags = [
    `--test-reporter=${join(ROOT, "scripts", "tests", "reporter.ts")}`,
    `--test-timeout=${timeoutMs * SHARE_OF_ONE_TEST}`,
  ];
  const child = spawn(
    process.execPath,
    [...flags, join(ROOT, "scripts", "tests", "shard.ts"), ...files],
    { cwd: ROOT, detached: true, stdio: ["ignore", "pipe", "pipe"] },
  );
  const group = child.pid as number;
  groups.add(group);
  const missing = new Set(files);
  let printed: string[] = [];
  const onLine = (line: string) => {
    if (!line.startsWith(MARKER)) {
      printed.push(line);
      return;
    }
    const result = JSON.parse(line.slice(MARKER.length)) as FileResult;
    missing.delete(result.file);
    const problem = problemOf(result);
    show(result, problem, printed);
    onResult(result, problem);
    printed = [];
  };
  createInterface({ input: child.stdout }).on("line", onLine);
  createInterface({ input: child.stderr }).on("line", onLine);
  let hung = false;
  const timer = setTimeout(() => {
    hung = true;
    end(group);
  }, timeoutMs);
  const [code] = await once(child, "exit");
  clearTimeout(timer);
  end(group);
  groups.delete(group);
  // A process that left the group could keep the pipes open for ever.
  const closed = child.stdout.closed && child.stderr.closed;
  const timeout = sleep(LAST_OUTPUT_MS, null, { ref: false });
  if (!closed) await Promise.race([once(child, "close"), timeout]);
  const reason = hung ? `did not end within ${timeoutMs / 1000} s` : `ended with ${code}`;
  for (const file of missing) {
    const result = { file, tests: 0, omitted: 0, ms: 0, cpuMs: 0, failures: [] };
    const problem = `has no result: its process ${reason}`;
    show(result, problem, printed);
    onResult(result, problem);
  }
  if (missing.size === 0 && hung) {
    const last = files.at(-1) as string;
    const problem = `left something running: its process ${reason}`;
    onResult({ file: last, tests: 0, omitted: 0, ms: 0, cpuMs: 0, failures: [] }, problem);
  }
}

function problemOf({ tests, omitted, failures }: FileResult): string | undefined {
  if (failures.length > 0) return `failed: ${failures.length} of ${tests} tests`;
  if (tests === 0) return "has no tests";
  if (omitted > 0) return "left tests out";
  return undefined;
}

function show(result: FileResult, problem: string | undefined, printed: readonly string[]): void {
  const { file, tests, ms, cpuMs, failures } = result;
  console.log(
    `${problem ? "✖" : "✔"} ${file} (${tests} tests, ${seconds(ms)} s, ${seconds(cpuMs)} s CPU)`,
  );
  if (problem === undefined) return;
  const text = [...failures, ...printed].join("\n").replaceAll(/^/gm, "    ");
  console.log(`${text}\n✖ ${file} ${problem}\n`);
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}

/** Ends everything that still runs of a group. */
function end(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // It has ended already.
  }
}
