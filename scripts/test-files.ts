/**
 * Runs test files, each in a process group of its own: one that hangs is ended with all that it
 * started, and what one leaves behind is not in the way of others.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT } from "./step.ts";

export interface Limits {
  /** How many files run side by side. */
  readonly atOnce: number;
  /** How long a file may take. */
  readonly timeoutMs: number;
}

/** A file that failed, and with what. */
export interface Failure {
  readonly file: string;
  readonly problem: string;
}

/** What the files came to. */
export interface Tally {
  readonly tests: number;
  readonly failures: readonly Failure[];
}

/**
 * Runs test files in their order and tells of each as it ends; of those that failed, with all that
 * they said.
 *
 * @example const { tests, failures } = await runFiles(files, { atOnce: 2, timeoutMs: 300_000 });
 */
export async function runFiles(files: readonly string[], limits: Limits): Promise<Tally> {
  const waiting = [...files];
  const failures: Failure[] = [];
  let tests = 0;
  const work = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const begun = performance.now();
      const { output, problem } = await runFile(file, limits.timeoutMs);
      const seconds = ((performance.now() - begun) / 1000).toFixed(1);
      const ran = counted(output, "tests");
      tests += ran;
      console.log(`${problem ? "✖" : "✔"} ${file} (${ran} tests, ${seconds} s)`);
      if (problem === undefined) continue;
      console.log(`${output.replaceAll(/^/gm, "    ")}\n✖ ${file} ${problem}\n`);
      failures.push({ file, problem });
    }
  };
  await Promise.all(Array.from({ length: limits.atOnce }, work));
  return { tests, failures };
}

/** A single test may take this much of its file's time. */
const PART_OF_ONE_TEST = 0.8;

/** What a file that has ended has said arrives sooner. */
const LAST_WORDS_MS = 5_000;
const UNREF = { ref: false };

interface Ran {
  readonly output: string;
  /** What is wrong; undefined when all is well. */
  readonly problem: string | undefined;
}

const groups = new Set<number>();

// A group of its own does not hear of Ctrl-C. Signals lead here by way of support/scratch.ts.
process.on("exit", () => {
  for (const group of groups) end(group);
});

async function runFile(file: string, timeoutMs: number): Promise<Ran> {
  // A test that hangs is told by name, by its own process; a process that hangs, by ours.
  const flags = ["--test-reporter=spec", `--test-timeout=${timeoutMs * PART_OF_ONE_TEST}`];
  const child = spawn(process.execPath, [...flags, file], {
    cwd: ROOT,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const group = child.pid as number;
  groups.add(group);
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk) => chunks.push(chunk));
  child.stderr.on("data", (chunk) => chunks.push(chunk));
  let hung = false;
  const timer = setTimeout(() => {
    hung = true;
    end(group);
  }, timeoutMs);
  const [code] = await once(child, "exit");
  clearTimeout(timer);
  end(group);
  groups.delete(group);
  // Whoever left the group could hold on to the pipes for ever.
  const closed = child.stdout.closed && child.stderr.closed;
  if (!closed) await Promise.race([once(child, "close"), sleep(LAST_WORDS_MS, null, UNREF)]);
  const output = Buffer.concat(chunks).toString();
  if (hung) return { output, problem: `did not end within ${timeoutMs / 1000} s` };
  return { output, problem: problemOf(output, code) };
}

/** Ends whatever still runs of a group. */
function end(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // Nothing does.
  }
}

function problemOf(output: string, code: number | null): string | undefined {
  if (code !== 0) return `ended with ${code}: ${counted(output, "fail")} tests failed`;
  if (counted(output, "tests") === 0) return "has no tests";
  if (counted(output, "skipped") + counted(output, "todo") > 0) return "left tests out";
  return undefined;
}

/** A number of the summary at the end of a file's report. */
function counted(output: string, what: string): number {
  const found = [...output.matchAll(new RegExp(`^ℹ ${what} (\\d+)$`, "gm"))].at(-1);
  return Number(found?.[1] ?? 0);
}
