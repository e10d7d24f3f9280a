// Decides what to install, from package-lock.json and from the lock that npm wrote into node_modules.
// Runs on any Node.js from 20 on, before any dependency exists.
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * The arguments for npm, or undefined when nothing is missing. Scripts of packages never run: whatever is needed works
 * without them. Packages for development are installed only on request, and stay once they are there.
 *
 * @example const args = installArgs(".", { withDev: false });
 */
export function installArgs(root, { withDev }) {
  const lockfile = join(root, "package-lock.json");
  const installed = join(root, "node_modules", ".package-lock.json");
  const isThere = existsSync(installed);
  const hasDev = isThere && devPackages(lockfile).every(among(installed));
  // Older than ours: something changed since.
  const isStale = isThere && statSync(installed).mtimeMs < statSync(lockfile).mtimeMs;
  if (isThere && !isStale && (hasDev || !withDev)) return undefined;
  // After a change, new packages for development may be among those that are missing.
  const keepsDev = withDev || hasDev || (isStale && devPackages(lockfile).some(among(installed)));
  const omit = keepsDev ? [] : ["--omit=dev"];
  return ["ci", ...omit, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
}

/** The folders of packages for development that every platform has. */
function devPackages(lock) {
  return Object.entries(packagesOf(lock))
    .filter(([, { dev, optional }]) => dev && !optional)
    .map(([path]) => path);
}

function among(lock) {
  const present = packagesOf(lock);
  return (path) => path in present;
}

function packagesOf(lock) {
  return JSON.parse(readFileSync(lock, "utf8")).packages;
}
