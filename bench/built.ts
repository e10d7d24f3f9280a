import { globSync, statSync } from "node:fs";
import { join } from "node:path";

const PACKAGES = join(import.meta.dirname, "../packages");
const SOURCES = [
  "contract/gen",
  "contract/src",
  "server/src",
  "client/src",
  "advisories/src",
  "cli/src",
];

/**
 * Whether the launcher will find a build that is newer than everything in it, as people have it. If
 * not, it runs the sources, which takes longer to start.
 *
 * @example if (!isBuilt()) console.error("run npm run build first");
 */
export function isBuilt(): boolean {
  const made = changed(join(PACKAGES, "cli/dist/wharf.cjs"));
  const files = SOURCES.flatMap((folder) => globSync(join(PACKAGES, folder, "**/*.{ts,js}")));
  return files.every((file) => file.endsWith(".test.ts") || changed(file) <= made);
}

function changed(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
