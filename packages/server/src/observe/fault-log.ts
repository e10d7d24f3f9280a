import type { LogFields, Logger } from "./logger.ts";

/** While something fails, every request may; the log has one line per interval and cause. */
const LOG_INTERVAL_MS = 60_000;

interface Cause {
  /** When the last line was written. */
  logged: number;
  /** Faults since then. */
  unlogged: number;
}

/** Logs faults of what the server depends on: the first of a cause, then at most once a minute, with their number. */
export class FaultLog {
  readonly #log: Pick<Logger, "error" | "info">;
  readonly #now: () => number;
  readonly #causes = new Map<string, Cause>();

  constructor(log: Pick<Logger, "error" | "info">, now: () => number = () => performance.now()) {
    this.#log = log;
    this.#now = now;
  }

  /** Returns whether a line was written. */
  fault(cause: string, fields: LogFields, message: string): boolean {
    const state = this.#causes.get(cause) ?? { logged: Number.NEGATIVE_INFINITY, unlogged: 0 };
    this.#causes.set(cause, state);
    state.unlogged++;
    const now = this.#now();
    if (now - state.logged < LOG_INTERVAL_MS) return false;
    this.#log.error({ cause, failures: state.unlogged, ...fields }, message);
    state.logged = now;
    state.unlogged = 0;
    return true;
  }

  /** The cause is gone: the line has the number of faults since the last one. */
  recovered(cause: string, message: string): void {
    const state = this.#causes.get(cause);
    this.#log.info({ cause, failures: state?.unlogged ?? 0 }, message);
    if (state !== undefined) state.unlogged = 0;
  }
}
