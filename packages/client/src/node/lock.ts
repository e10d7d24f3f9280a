import { closeSync, openSync } from "node:fs";
import { pause } from "../deadline.ts";
import { none } from "../tokens/platforms.ts";

/** SQLite's word for a lock that another holds. */
const BUSY = 5;

const LOOK_AGAIN_MS = 25;

/** Whoever holds the lock asks a server, which answers or is given up sooner than this. */
const LONGEST_MS = 60_000;

/**
 * Does something that only one process may do at a time. The system itself holds the lock, by way
 * of SQLite, and lets go of it when the process ends, however it ends: none is left behind, and
 * nobody must guess whether its holder still lives.
 *
 * @example await locked("/home/me/.cache/wharf/…/uid.lock", () => refresh());
 */
export async function locked<T>(
  path: string,
  work: () => Promise<T>,
  signal: AbortSignal = new AbortController().signal,
): Promise<T> {
  const { DatabaseSync } = await import("node:sqlite");
  // SQLite would make it readable for everyone.
  closeSync(openSync(path, "a", 0o600));
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    const end = Date.now() + LONGEST_MS;
    while (!taken(() => lock.exec("BEGIN IMMEDIATE"))) {
      if (Date.now() > end) throw none(`another process has held ${path} for a minute`);
      // Those who came together do not look again together.
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
