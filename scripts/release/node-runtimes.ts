import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../step.ts";

export const ARCHITECTURES = ["x64", "arm64"] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

/** Below node_modules, so that `npm ci` clears it. */
const CACHE = join(ROOT, "node_modules/.cache/wharf-node");

/** The Node.js of the lock file for an architecture of Linux: from its npm package, with the locked checksum. */
export function nodeFor(architecture: Architecture): string {
  const name = `node-linux-${architecture}`;
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  const { version, integrity } = lock.packages[`node_modules/${name}`];
  const installed = join(ROOT, "node_modules", name, "bin/node");
  return existsSync(installed) ? installed : fetchedNode({ name, version, integrity });
}

export interface NodePackage {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
}

/** The Node.js of an npm package, downloaded once. */
export function fetchedNode({ name, version, integrity }: NodePackage): string {
  const node = join(CACHE, `${name}-${version}`, "bin/node");
  if (existsSync(node)) return node;
  const partial = join(CACHE, `${name}-${version}.partial-${process.pid}`);
  mkdirSync(partial, { recursive: true });
  try {
    const pack = ["pack", "--silent", "--pack-destination", partial, `${name}@${version}`];
    execFileSync("npm", pack, { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
    const tarball = join(partial, `${name}-${version}.tgz`);
    const found = `sha512-${createHash("sha512").update(readFileSync(tarball)).digest("base64")}`;
    if (found !== integrity) throw new Error(`${name}@${version} is not the one of the lock file`);
    execFileSync("tar", [
      ...["-xzf", tarball, "-C", partial, "--strip-components=1"],
      ...["package/bin/node", "package/LICENSE"],
    ]);
    rmSync(tarball);
    renameSync(partial, join(node, "../.."));
    return node;
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}
