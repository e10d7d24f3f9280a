import { closeSync, mkdirSync, openSync, rmSync, statSync } from "node:fs";
import { pause } from "../deadline.ts";
import { noToken } from "../tokens/platforms.ts";

/** SQLITE_BUSY. */
const BUSY = 5;

const LOOK_AGAIN_MS = 25;

/** Longer than the request that the holder of the lock makes. */
const LONGEST_MS = 60_000;

/** A lock that no other process can take until it is released. */
interface Lock {
  /** Whether it has been taken. */
  take(): boolean;
  release(): void;
}

/**
 * Runs work that only one process may run at a time. The lock is one of SQLite on a file: the operating system releases
 * it when the process ends, so there are no stale locks.
 *
 * @example await locked("/home/me/.cache/wharf/…/uid.lock", () => refresh());
 */
export async function locked<T>(
  path: string,
  work: () => Promise<T>,
  signal: AbortSignal = new AbortController().signal,
): Promise<T> {
  // Node.js 20 has none.
  const sqlite = await import("node:sqlite").catch(() => undefined);
  const lock = sqlite === undefined ? folderLock(path) : databaseLock(sqlite, path);
  try {
    const end = Date.now() + LONGEST_MS;
    while (!lock.take()) {
      if (Date.now() > end) throw noToken(`another process has locked ${path} for a minute`);
      // Jitter: waiting processes must not retry at the same time.
      await pause(LOOK_AGAIN_MS * (1 + Math.random()), signal);
    }
    return await work();
  } finally {
    lock.release();
  }
}

function databaseLock({ DatabaseSync }: typeof import("node:sqlite"), path: string): Lock {
  // SQLite would create it readable for everyone.
  closeSync(openSync(path, "a", 0o600));
  const lock = new DatabaseSync(path, { timeout: 0 });
  return {
    take: () => succeeds(() => lock.exec("BEGIN IMMEDIATE"), BUSY),
    release: () => lock.close(),
  };
}

/**
 * A lock without SQLite: a folder, which only one process can create. One of a process that was killed is removed when
 * it is older than any work.
 *
 * @example const lock = folderLock("/home/me/.cache/wharf/…/uid.lock");
 */
export function folderLock(path: string): Lock {
  const folder = `${path}.d`;
  let isTaken = false;
  return {
    take() {
      const made = statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
      if (made !== undefined && Date.now() - made > LONGEST_MS) remove(folder);
      isTaken = succeeds(() => mkdirSync(folder, { mode: 0o700 }), "EEXIST");
      return isTaken;
    },
    release() {
      if (isTaken) remove(folder);
    },
  };
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Runs what fails with a code while another process has the lock. */
function succeeds(take: () => void, busy: number | string): boolean {
  try {
    take();
    return true;
  } catch (thrown) {
    const { errcode, code } = thrown as { errcode?: number; code?: string };
    if (errcode === busy || code === busy) return false;
    throw thrown;
  }
}
