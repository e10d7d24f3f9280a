/** Folders that are removed when the process ends. */
import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Linux keeps files below this folder in memory: no test waits for a disk. */
const IN_MEMORY = "/dev/shm";

/** More than all tests together write. */
const FREE_BYTES = 4 * 1024 ** 3;

function fastest(): string {
  // A run of many files has one folder for all of them.
  if (process.env.TMPDIR) return process.env.TMPDIR;
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    if (bavail * bsize >= FREE_BYTES) return IN_MEMORY;
  } catch {}
  return tmpdir();
}

const FASTEST = fastest();
const folders: string[] = [];

/** A new folder for the data of a server, a database or a registry; removed when the process ends. */
export function scratchFolder(prefix: string): string {
  const folder = mkdtempSync(join(FASTEST, prefix));
  folders.push(folder);
  return folder;
}

process.on("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

// Exit handlers stop the servers that this process started, also when it is ended by a signal.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => process.exit(1));
}
