/** A layer of an image with a large application: the installed dependencies of this repository. */
import { execFile } from "node:child_process";
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const ROOT = join(import.meta.dirname, "..");

/** Databases of Debian, where the benchmark runs on it. */
const DATABASES = ["/etc/os-release", "/usr/lib/os-release", "/var/lib/dpkg/status"];

/** Writes a compressed layer with about so many bytes of files. */
export async function writeLayer(file: string, bytes: number): Promise<void> {
  const folders: string[] = [];
  let size = 0;
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    if (size >= bytes) break;
    const folder = join("node_modules", name);
    if (name.startsWith("@wharf")) continue;
    size += sizeOf(join(ROOT, folder));
    folders.push(folder);
  }
  const tar = `${file}.tar`;
  const databases = DATABASES.filter((path) => existsSync(path)).map((path) => path.slice(1));
  const of = (root: string, paths: readonly string[]) => ["-C", root, ...paths];
  const args = ["-cf", tar, ...of(ROOT, folders), ...of("/", databases)];
  await promisify(execFile)("tar", args);
  await promisify(execFile)("sh", ["-c", `gzip -6 < "$0" > "$1" && rm "$0"`, tar, file]);
}

function sizeOf(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}
