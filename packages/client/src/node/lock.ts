import { closeSync, openSync } from "node:fs";
import { pause } from "../deadline.ts";
import { noToken } from "../tokens/platforms.ts";

/** SQLITE_BUSY. */
const BUSY = 5;

const LOOK_AGAIN_MS = 25;

/** Longer than the request that the holder of the lock makes. */
const LONGEST_MS = 60_000;

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
  const { DatabaseSync } = await import("node:sqlite");
  // SQLite would create it readable for everyone.
  closeSync(openSync(path, "a", 0o600));
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    const end = Date.now() + LONGEST_MS;
    while (!taken(() => lock.exec("BEGIN IMMEDIATE"))) {
      if (Date.now() > end) throw noToken(`another process has locked ${path} for a minute`);
      // Jitter: waiting processes must not retry at the same time.
      await pause(LOOK_AGAIN_MS * (1 + Math.random()), signal);
    }
    return await work();
  } finally {
    lock.close();
  }
}

function taken(take: () => void): boolean {
  try {
    take();
    return true;
  } catch (thrown) {
    if ((thrown as { errcode?: number }).errcode === BUSY) return false;
    throw thrown;
  }
}
