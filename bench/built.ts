import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const PACKAGES = join(import.meta.dirname, "../packages");
/** The sources of the build, as scripts/build.ts lists them. */
const SOURCES = join(PACKAGES, "cli/dist/sources");

/**
 * Whether the launcher finds a build that is newer than its sources, as installations have. Otherwise it
 * runs the sources, which start more slowly.
 */
export function isBuilt(): boolean {
  if (!existsSync(SOURCES)) return false;
  const built = changed("/cli/dist/wharf.cjs");
  return readFileSync(SOURCES, "utf8")
    .split("\n")
    .every((source) => changed(source) <= built);
}

/** The modification time of a file in packages/; infinite if it is missing. */
function changed(file: string): number {
  return (
    statSync(join(PACKAGES, file), { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY
  );
}
