import { setTimeout as sleep } from "node:timers/promises";
import { isLocked } from "./failures.ts";

/** The interval of attempts: short beside a commit of another process. */
const POLL_MS = 5;

/**
 * Waits for the lock of another process, such as an admin command, without blocking the event loop.
 * SQLite's own busy timeout would block reads and health checks, too.
 */
export class LockWait {
  readonly #maxMs: number;
  #lockedSince: number | undefined;

  constructor(maxMs: number) {
    this.#maxMs = maxMs;
  }

  /**
   * Repeats an attempt while the database is locked. Once it was locked for the maximum, each further
   * attempt fails at once until one succeeds: callers would wait in vain one after the other.
   */
  async run<T>(attempt: () => T): Promise<T> {
    for (;;) {
      try {
        const result = attempt();
        this.#lockedSince = undefined;
        return result;
      } catch (error) {
        if (!isLocked(error)) throw error;
        const now = performance.now();
        this.#lockedSince ??= now;
        if (now - this.#lockedSince >= this.#maxMs) throw error;
      }
      await sleep(POLL_MS);
    }
  }
}
