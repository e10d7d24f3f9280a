import { execFileSync } from "node:child_process";
import type { BuildInfo } from "../packages/server/src/lib/version.ts";
import { ROOT } from "./step.ts";

/**
 * The commit of this folder and its date. SOURCE_DATE_EPOCH replaces the date, WHARF_COMMIT the commit: for builds
 * from sources without a repository.
 */
export function buildInfo(environment: NodeJS.ProcessEnv = process.env): BuildInfo {
  const { SOURCE_DATE_EPOCH, WHARF_COMMIT } = environment;
  const commit =
    WHARF_COMMIT ?? git("describe", "--always", "--dirty", "--exclude=*", "--abbrev=40");
  const seconds = SOURCE_DATE_EPOCH ?? git("show", "--no-patch", "--format=%ct", "HEAD");
  if (!/^\d*$/.test(seconds)) throw new Error(`SOURCE_DATE_EPOCH is not a time: ${seconds}`);
  const buildDate =
    seconds === "" ? "" : new Date(Number(seconds) * 1000).toISOString().replace(".000Z", "Z");
  return { commit, buildDate };
}

/** The date of the commit as Unix time: that of files in archives and images. */
export function buildSeconds(): number {
  return Math.floor(Date.parse(buildInfo().buildDate || "1970-01-01T00:00:00Z") / 1000);
}

/** The output of a command, or nothing if this is not a repository. */
function git(...args: readonly string[]): string {
  try {
    return execFileSync("git", args, {
      cwd: ROOT,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return "";
  }
}
