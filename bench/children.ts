import { type ChildProcess, execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";

const running = new Set<ChildProcess>();

/** Kills all child processes, however the benchmark ends. */
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

// By default, these signals end the process without an exit event.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

/** Ends a process with the benchmark; the promise rejects when it ends earlier. */
export function watch(child: ChildProcess, problem: () => string): Promise<never> {
  running.add(child);
  const ended = once(child, "exit").then(() => {
    running.delete(child);
    throw new Error(problem());
  });
  // The rejection concerns only callers that still wait.
  ended.catch(() => {});
  return ended;
}

/** Ends a process and waits for its exit. */
export async function end(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}

/** Resident memory of a process, in MiB. */
export function memoryOf(pid: number): number {
  const kib = existsSync("/proc/self/status")
    ? /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
    : execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" });
  return Number(kib) / 1024;
}

/** The CPU time of a process so far; NaN on systems without /proc. */
export function cpuMsOf(pid: number): number {
  try {
    const afterName = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    // User and system time, in ticks of 10 ms.
    return (Number(afterName[11]) + Number(afterName[12])) * 10;
  } catch {
    return Number.NaN;
  }
}

/** A process, those that it has started, and so on; only the first on systems without /proc. */
export function familyOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return [pid, ...children.split(" ").filter(Boolean).map(Number).flatMap(familyOf)];
  } catch {
    return [pid];
  }
}
