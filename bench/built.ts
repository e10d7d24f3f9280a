import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const PACKAGES = join(import.meta.dirname, "../packages");
/** What went into the build, as scripts/build.ts wrote it down. */
const SOURCES = join(PACKAGES, "cli/dist/sources");

/**
 * Whether the launcher will find a build that is newer than everything in it, as people have it. If
 * not, it runs the sources, which takes longer to start.
 *
 * @example if (!isBuilt()) console.error("run npm run build first");
 */
export function isBuilt(): boolean {
  if (!existsSync(SOURCES)) return false;
  const made = changed("/cli/dist/wharf.cjs");
  return readFileSync(SOURCES, "utf8")
    .split("\n")
    .every((source) => changed(source) <= made);
}

/** When a file below packages/ was last changed; after everything when there is none. */
function changed(file: string): number {
  return (
    statSync(join(PACKAGES, file), { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY
  );
}
