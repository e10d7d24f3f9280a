/** Durations of test files in the last run: the longest are run first. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Last durations by file, in milliseconds. */
export type Durations = Record<string, number>;

/** Estimate for a file that was never run: longer files usually take longer. */
const MS_PER_BYTE = 0.3;

/**
 * Estimates for files whose size says little of their duration, in milliseconds: those that import others or are about
 * sizes.
 */
const USUAL_MS: Durations = {
  "packages/cli/test/long/release.test.ts": 250_000,
  "packages/console/test/long/screens.test.ts": 200_000,
  "packages/server/test/long/more-runs.test.ts": 150_000,
  "packages/server/test/long/workers.test.ts": 150_000,
  "packages/server/test/long/fuzz-grpc.test.ts": 110_000,
  "packages/server/test/long/fuzz-rest.test.ts": 80_000,
  "packages/console/test/long/keyboard.test.ts": 70_000,
  "packages/server/test/long/events-kills.test.ts": 65_000,
  "packages/server/test/long/connection-flood.test.ts": 60_000,
  "packages/console/test/long/many-images.test.ts": 60_000,
  "packages/server/test/long/fuzz-endpoints.test.ts": 60_000,
  "packages/console/test/long/many-groups.test.ts": 50_000,
};

/** The files, longest first: the last ones are short, and end at about the same time. */
export function longestFirst(files: readonly string[], last: Durations): string[] {
  const sized = files.map((file) => ({
    file,
    ms: last[file] ?? USUAL_MS[file] ?? statSync(file).size * MS_PER_BYTE,
  }));
  return sized.sort((a, b) => b.ms - a.ms).map(({ file }) => file);
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
