/** How long test files took last time: those that take long are run first. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Last durations by file, in milliseconds. */
export type Durations = Record<string, number>;

/** Estimate for a file that was never run: longer files usually take longer. */
const MS_PER_BYTE = 0.3;

/** The files, longest first: the last ones are short, and end at about the same time. */
export function longestFirst(files: readonly string[], last: Durations): string[] {
  const sized = files.map((file) => ({
    file,
    ms: last[file] ?? statSync(file).size * MS_PER_BYTE,
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
