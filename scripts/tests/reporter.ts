/**
 * Reporter of a test process: one JSON line per test file, after a marker that tells it from what tests
 * print themselves.
 */
import { readFileSync } from "node:fs";
import type { TestEvent } from "node:test/reporters";
import { inspect } from "node:util";

export const MARKER = "\u0001file ";

/** The outcome of one test file. */
export interface FileResult {
  readonly file: string;
  readonly tests: number;
  /** Tests that were skipped or marked as to do: none may be. */
  readonly omitted: number;
  readonly ms: number;
  /** Processor time of the test process, without the processes that it started. */
  readonly cpuMs: number;
  /** Processor time of processes that it started. */
  readonly childrenMs: number;
  /** The failed tests, each with its path of titles and its error. */
  readonly failures: readonly string[];
}

/** Errors of the current file that no test awaited, by what threw them. */
export const strayErrors = new Map<unknown, unknown>();

// biome-ignore lint/style/noDefaultExport: the test runner loads reporters by their default export.
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let tests = 0;
  let omitted = 0;
  let failures: string[] = [];
  let usage = process.cpuUsage();
  let children = childrenMs();
  const titles: string[] = [];
  for await (const { type, data } of events) {
    if (type === "test:start") titles[data.nesting] = data.name;
    if (type === "test:fail" && !failsByItsTests(data.details.error)) {
      const path = [...titles.slice(1, data.nesting), data.name].join(" › ");
      failures.push(`${path}
${textOf(data.details.error)}`);
    }
    if (type !== "test:pass" && type !== "test:fail") continue;
    const { nesting, details } = data;
    const isTest = details.type !== "suite" && nesting > 0;
    if (isTest) tests++;
    if (isTest && (data.skip || data.todo)) omitted++;
    if (nesting > 0) continue;
    const used = process.cpuUsage(usage);
    const cpuMs = (used.user + used.system) / 1000;
    const ms = details.duration_ms;
    for (const error of strayErrors.values()) failures.push(`outside of tests\n${inspect(error)}`);
    strayErrors.clear();
    const ended = childrenMs();
    const result: FileResult = {
      file: data.name,
      tests,
      omitted,
      ms,
      cpuMs,
      childrenMs: ended - children,
      failures,
    };
    children = ended;
    yield `${MARKER}${JSON.stringify(result)}\n`;
    usage = process.cpuUsage();
    tests = 0;
    omitted = 0;
    failures = [];
  }
}

/** The kernel counts in hundredths of a second. */
const MS_PER_TICK = 10;

/** Processor time of all children, and of theirs; zero where the kernel does not tell. */
function childrenMs(): number {
  const running = textAt(`/proc/self/task/${process.pid}/children`).split(" ").filter(Boolean);
  const ticks = running.map((pid) => ticksOf(pid, 11));
  return ticks.reduce((sum, more) => sum + more, ticksOf("self", 13)) * MS_PER_TICK;
}

/** The times of a process from a field on: its own two, then two of its ended children. */
function ticksOf(pid: string, from: number): number {
  const [, fields = ""] = textAt(`/proc/${pid}/stat`).split(") ");
  const times = fields.split(" ").slice(from, 15).map(Number);
  return times.reduce((sum, time) => sum + time, 0);
}

/** A file about a process, which is gone with it. */
function textAt(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** A suite fails with its tests, which are reported themselves. */
function failsByItsTests(error: Error): boolean {
  return "failureType" in error && error.failureType === "subtestsFailed";
}

function textOf(error: Error): string {
  return inspect(error.cause instanceof Error ? error.cause : error, { depth: 6 });
}
