import { availableParallelism } from "node:os";
import { memoryLimit } from "../lib/memory-limit.ts";

/** More would spend their time waiting for the one writer of the store. */
export const MAX_WORKERS = 64;

/** By default: reads scale with the workers, writes do not. */
const MAX_DEFAULT_WORKERS = 8;

/** The same with PostgreSQL, which needs cores, and connections of each worker. */
const MAX_DEFAULT_WORKERS_POSTGRES = 4;

/** Memory of a busy worker. */
const WORKER_BYTES = 512 * 1024 * 1024;

/** Properties of this machine; tests have their own. */
export interface Machine {
  readonly cores: number;
  readonly memoryBytes: number;
  readonly platform: string;
}

/**
 * Default number of workers: one per core beyond the first, which serves the supervisor and the system. With two
 * cores that is one process, without a supervisor. Windows passes connections to other processes too slowly for it to help.
 */
export function defaultWorkers(
  databaseUrl: string,
  { cores, memoryBytes, platform }: Machine = thisMachine(),
): number {
  if (platform === "win32") return 1;
  const most = databaseUrl === "" ? MAX_DEFAULT_WORKERS : MAX_DEFAULT_WORKERS_POSTGRES;
  return Math.max(1, Math.min(cores - 1, most, Math.floor(memoryBytes / WORKER_BYTES)));
}

function thisMachine(): Machine {
  return {
    cores: availableParallelism(),
    memoryBytes: memoryLimit(),
    platform: process.platform,
  };
}
