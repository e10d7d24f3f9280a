/** Distributes test files over processes by how long they took last time. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Last durations by file, in milliseconds. */
export type Durations = Record<string, number>;

/**
 * Shards per worker: enough that the last ones end at about the same time, few enough that loading
 * the server once per shard does not count.
 */
const SHARDS_PER_WORKER = 4;

/** Estimate for a file that was never run: longer files usually take longer. */
const MS_PER_BYTE = 0.3;

/**
 * The shards, longest first. Files of one package share shards, because they load the same code and
 * use the same helper processes; every file goes to the shard of its package that is the shortest so
 * far.
 */
export function shardsOf(
  files: readonly string[],
  workers: number,
  last: Durations,
): readonly (readonly string[])[] {
  const sized = files.map((file) => ({
    file,
    ms: last[file] ?? statSync(file).size * MS_PER_BYTE,
  }));
  const total = sumOf(sized);
  const shards = [...Map.groupBy(sized, ({ file }) => packageOf(file)).values()].flatMap(
    (group) => {
      const count = Math.ceil((sumOf(group) / total) * workers * SHARDS_PER_WORKER);
      return distribute(group, Math.min(group.length, Math.max(1, count)));
    },
  );
  return shards.sort((a, b) => b.ms - a.ms).map((shard) => shard.files);
}

interface Sized {
  readonly file: string;
  readonly ms: number;
}

function sumOf(sized: readonly Sized[]): number {
  return sized.reduce((sum, { ms }) => sum + ms, 0);
}

function packageOf(file: string): string {
  return file.split("/").slice(0, 2).join("/");
}

function distribute(sized: readonly Sized[], count: number): { ms: number; files: string[] }[] {
  const shards = Array.from({ length: count }, () => ({ ms: 0, files: [] as string[] }));
  for (const { file, ms } of [...sized].sort((a, b) => b.ms - a.ms)) {
    const shard = shards.reduce((least, other) => (other.ms < least.ms ? other : least));
    shard.files.push(file);
    shard.ms += ms;
  }
  return shards;
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
