import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

/** The cores of the benchmark: servers run on one, the load generator on the other. */
export interface Cores {
  readonly serving: number | undefined;
  readonly asking: number | undefined;
  /** The pinning of the processes, for the report. */
  readonly note: string;
}

/** The first two cores that this process may use; none where processes cannot be pinned. */
export function chooseCores(): Cores {
  const unpinned = (why: string): Cores => ({
    serving: undefined,
    asking: undefined,
    note: `NOT pinned to cores: ${why}; server, reference and load share them as the scheduler decides`,
  });
  if (availableParallelism() < 2) return unpinned("there is only one");
  const [serving, asking] = allowedCores();
  if (serving === undefined || asking === undefined) return unpinned("there is only one");
  if (spawnSync("taskset", ["-c", String(asking), "true"]).status !== 0)
    return unpinned("taskset is missing");
  return {
    serving,
    asking,
    note: `server and references on core ${serving}, load on core ${asking}`,
  };
}

function allowedCores(): number[] {
  try {
    const list = /^Cpus_allowed_list:\s*(.+)$/m.exec(
      readFileSync("/proc/self/status", "utf8"),
    )?.[1];
    return (list ?? "").split(",").flatMap((range) => {
      const [first, last = first] = range.split("-").map(Number);
      return Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => Number(first) + i);
    });
  } catch {
    return [0, 1];
  }
}

/** The command that runs a program on a core. */
export function programOn(
  core: number | undefined,
  program: string,
  args: readonly string[],
): [command: string, args: string[]] {
  if (core === undefined) return [program, [...args]];
  return ["taskset", ["-c", String(core), program, ...args]];
}

/** The command that runs Node.js on a core. */
export function nodeOn(
  core: number | undefined,
  args: readonly string[],
): [command: string, args: string[]] {
  return programOn(core, process.execPath, args);
}
