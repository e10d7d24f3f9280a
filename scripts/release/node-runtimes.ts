import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { ROOT } from "../step.ts";

/** Operating system and architecture, as Node.js names them. */
export type Platform = "linux-x64" | "linux-arm64" | "darwin-x64" | "darwin-arm64" | "win32-x64";

/** The program of each npm package with Node.js. */
const PROGRAMS: Readonly<Record<Platform, string>> = createRequire(import.meta.url)(
  "../../packages/cli/bin/runtime.cjs",
).PACKAGES;

export const PLATFORMS = Object.keys(PROGRAMS) as readonly Platform[];

/** Below node_modules, so that `npm ci` clears it. */
const CACHE = join(ROOT, "node_modules/.cache/wharf-node");

/** The npm package with Node.js for a platform. */
export function nodePackage(platform: Platform): string {
  return PROGRAMS[platform].split("/")[0] as string;
}

/** The Node.js of the lock file for a platform: from its npm package, with the locked checksum. */
export function nodeFor(platform: Platform): string {
  const name = nodePackage(platform);
  const program = PROGRAMS[platform].slice(name.length + 1);
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  const { version, integrity } = lock.packages[`node_modules/${name}`];
  const installed = join(ROOT, "node_modules", name, program);
  return existsSync(installed) ? installed : fetchedNode({ name, version, integrity, program });
}

export interface NodePackage {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
  /** The path of the program in the package. */
  readonly program: string;
}

/** The Node.js of an npm package, downloaded once. */
export function fetchedNode({ name, version, integrity, program }: NodePackage): string {
  const folder = join(CACHE, `${name}-${version}`);
  const node = join(folder, program);
  if (existsSync(node)) return node;
  const partial = `${folder}.partial-${process.pid}`;
  mkdirSync(partial, { recursive: true });
  try {
    const pack = ["pack", "--silent", "--pack-destination", partial, `${name}@${version}`];
    execFileSync("npm", pack, { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
    const tarball = join(partial, `${name}-${version}.tgz`);
    const found = `sha512-${createHash("sha512").update(readFileSync(tarball)).digest("base64")}`;
    if (found !== integrity) throw new Error(`${name}@${version} is not the one of the lock file`);
    execFileSync("tar", [
      ...["-xzf", tarball, "-C", partial, "--strip-components=1"],
      ...["--exclude=package/include", "--exclude=package/share"],
    ]);
    rmSync(tarball);
    renameSync(partial, folder);
    return node;
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}
