/** Distributes test files over processes by how long they took last time. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Last durations by file, in milliseconds. */
export type Durations = Record<string, number>;

/**
 * Shards per worker: enough that the last ones end at about the same time, few enough that loading
 * the server once per shard does not count.
 */
const SHARDS_PER_WORKER = 5;

/** Estimate for a file that was never run: longer files usually take longer. */
const MS_PER_BYTE = 0.3;

/** The shards, longest first. Every file goes to the shard that is the shortest so far. */
export function shardsOf(
  files: readonly string[],
  workers: number,
  last: Durations,
): readonly (readonly string[])[] {
  const sized = files.map((file) => ({
    file,
    ms: last[file] ?? statSync(file).size * MS_PER_BYTE,
  }));
  sized.sort((a, b) => b.ms - a.ms);
  const count = Math.min(files.length, workers * SHARDS_PER_WORKER);
  const shards = Array.from({ length: count }, () => ({ ms: 0, files: [] as string[] }));
  for (const { file, ms } of sized) {
    const shard = shards.reduce((least, other) => (other.ms < least.ms ? other : least));
    shard.files.push(file);
    shard.ms += ms;
  }
  return shards.sort((a, b) => b.ms - a.ms).map((shard) => shard.files);
}

const RECORD = join("node_modules", ".cache", "tests", "durations.json");

export function readDurations(root: string): Durations {
  try {
    return JSON.parse(readFileSync(join(root, RECORD), "utf8"));
  } catch {
    return {};
  }
}

export function writeDurations(root: string, durations: Durations): void {
  mkdirSync(dirname(join(root, RECORD)), { recursive: true });
  writeFileSync(join(root, RECORD), JSON.stringify(durations, null, 1));
}
