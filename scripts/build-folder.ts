/**
 * The folders of builds, beside the link that names the current one. A build has a folder of its own until it is
 * complete, and then replaces the link in one step: commands find either the last build or the new one.
 */
import { randomBytes } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";

/** The link, and the prefix of the folders. */
const LINK = "dist";
const BUILD = /^dist-(?<pid>\d+)-/;

/** The code that V8 has made of sources, which the launcher keeps. */
const CODE_CACHE = "dist-code-cache";

/** In a folder that was the current one: before that, it may still be written. */
const COMPLETE = "complete";

/** In a folder from which a server runs, with its process: packages/cli/bin/wharf.cjs creates it. */
const USED = /^used-(?<pid>\d+)$/;

/** A new folder for a build of this process. */
export function newBuild(parent: string): string {
  const folder = join(parent, `${LINK}-${process.pid}-${randomBytes(4).toString("hex")}`);
  mkdirSync(folder);
  return folder;
}

/**
 * Makes a build the current one. The build before it stays for commands that run, and those of running servers; older
 * ones are removed, and those of builds that were killed.
 */
export function publishBuild(parent: string, folder: string): void {
  const link = join(parent, LINK);
  moveDirectory(link, parent);
  const before = existsSync(link) ? readlinkSync(link) : undefined;
  const created = `${folder}.link`;
  symlinkSync(basename(folder), created);
  renameSync(created, link);
  writeFileSync(join(folder, COMPLETE), "");
  const abandoned = readdirSync(parent).filter((name) => isAbandoned(parent, name));
  // After the list: a folder in it was the current one already, so that this is newer.
  const current = readlinkSync(link);
  for (const name of abandoned) if (name !== current && name !== before) remove(join(parent, name));
  // The code cache of sources that have changed since.
  remove(join(parent, CODE_CACHE));
}

/** Earlier versions built into a folder of this name. */
function moveDirectory(link: string, parent: string): void {
  if (!lstatSync(link, { throwIfNoEntry: false })?.isDirectory()) return;
  try {
    renameSync(link, join(newBuild(parent), COMPLETE));
  } catch (error) {
    // Another build has moved it.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** Whether nothing will use a folder any more, unless it is the current build. */
function isAbandoned(parent: string, name: string): boolean {
  const pid = Number(BUILD.exec(name)?.groups?.pid);
  const folder = join(parent, name);
  return pid > 0 && (existsSync(join(folder, COMPLETE)) ? !isUsed(folder) : !isRunning(pid));
}

function isUsed(folder: string): boolean {
  return readdirSync(folder).some((name) => {
    const pid = Number(USED.exec(name)?.groups?.pid);
    return pid > 0 && isRunning(pid);
  });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** A process may still write its code cache into a folder that is being removed. */
function remove(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 10 });
}
