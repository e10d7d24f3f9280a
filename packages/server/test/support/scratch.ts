import { mkdtempSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Linux keeps what is written here in memory: nothing waits for a disk that will be thrown away. */
const IN_MEMORY = "/dev/shm";

/** More than all tests together write. */
const ROOM = 4 * 1024 ** 3;

function fastest(): string {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    if (bavail * bsize >= ROOM) return IN_MEMORY;
  } catch {}
  return tmpdir();
}

const FASTEST = fastest();

/**
 * A new folder for the data of a server, a database or a registry.
 *
 * @example const data = scratchFolder("wharf-test-");
 */
export function scratchFolder(prefix: string): string {
  return mkdtempSync(join(FASTEST, prefix));
}

// Whoever is told to end leaves no servers behind either: they are ended at the exit.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => process.exit(1));
}
