/**
 * Format and lint by biome, of files that have changed since they last passed: its rules look at one file at a time, and
 * checking all of them takes longer than most other steps together.
 */
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ROOT, tool } from "./step.ts";

/** Files that passed, by path: a digest of their content. */
type Passed = Record<string, string>;

const RECORD = join(ROOT, "node_modules", ".cache", "biome", "passed.json");

/** Inputs that decide how files are checked: rules, biome itself, and the dependencies that turn rules on. */
const DECISIVE = [
  "biome.json",
  "package.json",
  "packages/*/package.json",
  "node_modules/@biomejs/biome/package.json",
];

/** The files that may be checked; biome skips those that its configuration excludes. */
const CHECKED = "**/*.{ts,tsx,js,jsx,mjs,cjs,json,jsonc,css,html}";

export async function formatIsRight(): Promise<void> {
  const decisive = DECISIVE.flatMap((glob) => globSync(glob, { cwd: ROOT }).sort());
  const rules = digest(...decisive.map(contentOf));
  const passed = await readPassed(rules);
  const digests: Passed = {};
  for (const file of globSync(CHECKED, {
    cwd: ROOT,
    exclude: ["**/node_modules/**", "packages/cli/dist*/**"],
  })) {
    digests[file] = digest(contentOf(file));
  }
  const changed = Object.keys(digests).filter((file) => passed[file] !== digests[file]);
  if (changed.length > 0) {
    const options = ["--error-on-warnings", "--no-errors-on-unmatched"];
    await tool("biome", "check", ...options, ...changed);
  }
  await mkdir(dirname(RECORD), { recursive: true });
  await writeFile(RECORD, JSON.stringify({ rules, passed: digests }));
}

async function readPassed(rules: string): Promise<Passed> {
  try {
    const record = JSON.parse(await readFile(RECORD, "utf8"));
    return record.rules === rules ? record.passed : {};
  } catch {
    return {};
  }
}

function contentOf(file: string): Buffer {
  return readFileSync(join(ROOT, file));
}

function digest(...contents: readonly Buffer[]): string {
  const hash = createHash("sha256");
  for (const content of contents) hash.update(`${content.length} `).update(content);
  return hash.digest("base64url");
}
