/**
 * Runs test files in a few processes, each in a process group of its own: one that hangs is ended with
 * everything that it started, and processes that one leaves behind do not disturb others.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { scratchFolder } from "../../packages/server/test/support/server/scratch-folder.ts";
import { ROOT } from "../step.ts";
import { type FileResult, MARKER } from "./reporter.ts";

export interface Limits {
  /** Number of concurrent processes. */
  readonly concurrency: number;
  /** Whether a file needs a process of its own. */
  readonly isAlone: (file: string) => boolean;
  /** Timeout of a file. */
  readonly timeoutMs: number;
}

/** A file that failed, and why. */
export interface Failure {
  readonly file: string;
  readonly problem: string;
  /** The failed tests and what the file printed. */
  readonly text: string;
}

export interface Summary {
  readonly results: readonly FileResult[];
  readonly failures: readonly Failure[];
}

/** Runs the files in their order, each in the first process that is free, and reports it as it ends. */
export async function runFiles(files: readonly string[], limits: Limits): Promise<Summary> {
  const waiting = [...files];
  const results: FileResult[] = [];
  const failures: Failure[] = [];
  const onResult: OnResult = (result, problem, printed) => {
    const text = [...result.failures, ...printed].join("\n").replaceAll(/^/gm, "    ");
    show(result, problem, text);
    results.push(result);
    if (problem !== undefined) failures.push({ file: result.file, problem, text });
  };
  const work = async () => {
    while (waiting.length > 0) await runProcess(waiting, limits, onResult);
  };
  await Promise.all(Array.from({ length: limits.concurrency }, work));
  return { results, failures };
}

type OnResult = (
  result: FileResult,
  problem: string | undefined,
  printed: readonly string[],
) => void;

/** A single test may take this share of its file's time. */
const SHARE_OF_ONE_TEST = 0.5;

/** A process without files ends within this time, unless they left something running. */
const END_MS = 60_000;

/** Output that a process wrote before its end arrives within this time. */
const LAST_OUTPUT_MS = 5_000;

const groups = new Set<number>();

// A group of its own does not get Ctrl-C. Signals lead here by way of support/server/scratch-folder.ts.
process.on("exit", () => {
  for (const group of groups) end(group);
});

/** Takes files from those that wait until there are none, or the next one or the last one needs its own process. */
async function runProcess(
  waiting: string[],
  { isAlone, timeoutMs }: Limits,
  onResult: OnResult,
): Promise<void> {
  const child = start(timeoutMs);
  const group = child.pid as number;
  groups.add(group);
  const missing = new Set<string>();
  let last = "";
  let hung = false;
  let timer: NodeJS.Timeout | undefined;
  const takeNext = () => {
    const [next = ""] = waiting;
    const isApart = last !== "" && (isAlone(last) || isAlone(next));
    return isApart ? undefined : waiting.shift();
  };
  child.on("message", () => {
    const file = takeNext();
    clearTimeout(timer);
    const onHang = () => {
      hung = true;
      end(group);
    };
    timer = setTimeout(onHang, file === undefined ? END_MS : timeoutMs);
    if (file !== undefined) {
      last = file;
      missing.add(file);
    }
    child.send({ file });
  });
  let printed: string[] = [];
  const onLine = (line: string) => {
    if (!line.startsWith(MARKER)) {
      printed.push(line);
      return;
    }
    const result = JSON.parse(line.slice(MARKER.length)) as FileResult;
    missing.delete(result.file);
    const problem = problemOf(result);
    onResult(result, problem, printed);
    printed = [];
  };
  const { stdout, stderr } = child as { stdout: Readable; stderr: Readable };
  createInterface({ input: stdout }).on("line", onLine);
  createInterface({ input: stderr }).on("line", onLine);
  const [code] = await once(child, "exit");
  clearTimeout(timer);
  end(group);
  groups.delete(group);
  // A process that left the group could keep the pipes open for ever.
  const closed = stdout.closed && stderr.closed;
  const timeout = sleep(LAST_OUTPUT_MS, null, { ref: false });
  if (!closed) await Promise.race([once(child, "close"), timeout]);
  const reason = hung ? "did not end in time" : `ended with ${code}`;
  const nothing = { tests: 0, omitted: 0, ms: 0, cpuMs: 0, childrenMs: 0, failures: [] };
  for (const file of missing) {
    const problem = `has no result: its process ${reason}`;
    onResult({ file, ...nothing }, problem, printed);
  }
  if (missing.size === 0 && hung) {
    const problem = `or a file before it left something running: its process ${reason}`;
    onResult({ file: last, ...nothing }, problem, printed);
  }
}

function start(timeoutMs: number): ChildProcess {
  const flags = [
    `--import=${join(ROOT, "scripts", "tests", "resource-tracking.ts")}`,
    `--test-reporter=${join(ROOT, "scripts", "tests", "reporter.ts")}`,
    `--test-timeout=${timeoutMs * SHARE_OF_ONE_TEST}`,
    // There are more processes than processors: threads of the garbage collector would only compete with them.
    "--single-threaded-gc",
    "--min-semi-space-size=16",
  ];
  const worker = join(ROOT, "scripts", "tests", "worker.ts");
  return spawn(process.execPath, [...flags, worker], {
    // Not the clone: the default data directory of a command would be that of the person who runs the tests.
    cwd: scratchFolder("wharf-cwd-"),
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
}

function problemOf({ tests, omitted, failures }: FileResult): string | undefined {
  if (failures.length > 0) return `failed: ${failures.length} errors in ${tests} tests`;
  if (tests === 0) return "has no tests";
  if (omitted > 0) return "left tests out";
  return undefined;
}

function show(result: FileResult, problem: string | undefined, text: string): void {
  const { file, tests, ms, cpuMs, childrenMs } = result;
  const cpu = `${seconds(cpuMs)} + ${seconds(childrenMs)} s CPU`;
  console.log(`${problem ? "✖" : "✔"} ${file} (${tests} tests, ${seconds(ms)} s, ${cpu})`);
  if (problem !== undefined) console.log(`${text}\n✖ ${file} ${problem}\n`);
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
