/** Peers that are too large to be dependencies: installed into a cache on first use. */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { downloadPackages } from "../../scripts/debian-packages.ts";
import { NotMeasured } from "../row.ts";

const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "wharf-bench");

/** A peer of npm: a folder with its package.json, its lock file, and packages of ours that stand in for others. */
export interface NpmPeer {
  readonly name: string;
  readonly folder: string;
  /** Packages with native code that is compiled. Scripts of all others do not run. */
  readonly native: readonly string[];
}

/** The folder in which a peer is installed, in exactly the locked versions. */
export function installed({ name, folder, native }: NpmPeer): string {
  const digest = createHash("sha256");
  for (const file of ["package.json", "package-lock.json"]) {
    digest.update(readFileSync(join(folder, file)));
  }
  const target = join(CACHE, `${name}-${digest.digest("hex").slice(0, 12)}`);
  if (existsSync(target)) return target;
  console.error(`installing ${name} into ${target} …`);
  const scratch = `${target}.partial`;
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(dirname(target), { recursive: true });
  cpSync(folder, scratch, { recursive: true });
  npm(name, scratch, "ci", "--ignore-scripts", "--no-audit", "--no-fund");
  npm(name, scratch, "rebuild", ...native);
  renameSync(scratch, target);
  return target;
}

/** A peer of Debian: a package of a newer suite than that of the machine. */
export interface DebianPeer {
  readonly name: string;
  readonly suite: string;
}

/** The folder in which a package is unpacked; the machine itself has it not installed. */
export function installedPackage({ name, suite }: DebianPeer): { folder: string; version: string } {
  const target = join(CACHE, `${name}-${suite}`);
  if (!existsSync(target)) {
    console.error(`unpacking ${name} of ${suite} into ${target} …`);
    const scratch = `${target}.partial`;
    rmSync(scratch, { recursive: true, force: true });
    mkdirSync(scratch, { recursive: true });
    try {
      downloadPackages({ names: [name], folder: scratch, suite });
      execFileSync("dpkg-deb", ["--extract", archiveIn(scratch), scratch]);
    } catch (error) {
      throw new NotMeasured(`${name} is not available: Debian's package cannot be had: ${error}`);
    }
    rmSync(join(scratch, "apt"), { recursive: true });
    renameSync(scratch, target);
  }
  const version = execFileSync("dpkg-deb", ["--field", archiveIn(target), "Version"]);
  return { folder: target, version: version.toString().trim() };
}

function archiveIn(folder: string): string {
  return join(folder, readdirSync(folder).find((file) => file.endsWith(".deb")) ?? "");
}

function npm(name: string, cwd: string, ...args: string[]): void {
  const { status } = spawnSync("npm", args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) throw new NotMeasured(`${name} is not available: npm ${args[0]} failed`);
}
