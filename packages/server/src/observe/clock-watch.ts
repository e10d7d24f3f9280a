import type { Logger } from "./logger.ts";
import type { Metrics } from "./metrics.ts";

/** The interval of checks: adjustments by a time service in between are far smaller than the tolerance. */
const CHECK_MS = 10_000;

/** Smaller differences harm nobody. */
const TOLERANCE_MS = 2_000;

export interface ClockWatchDeps {
  readonly log: Pick<Logger, "info" | "warn">;
  readonly metrics: Pick<Metrics, "count">;
  /** The clock of the database; undefined if it has none of its own. */
  databaseTime(): Promise<number | undefined>;
  /** Milliseconds since 1970. */
  wallClock?(): number;
  /** Milliseconds since any time; nobody can set it. */
  monotonicClock?(): number;
}

/**
 * Warns when the clock of this machine was set, which the monotonic clock reveals, and when it differs from that of
 * the database, which replicas have in common: tokens are then rejected or expire at the wrong time.
 */
export class ClockWatch {
  readonly #deps: ClockWatchDeps;
  readonly #wall: () => number;
  readonly #monotonic: () => number;
  /** The wall clock when the monotonic one was zero. */
  #origin: number;
  #differs = false;
  #isAsking = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: ClockWatchDeps) {
    this.#deps = deps;
    this.#wall = deps.wallClock ?? Date.now;
    this.#monotonic = deps.monotonicClock ?? (() => performance.now());
    this.#origin = this.#wall() - this.#monotonic();
  }

  start(): void {
    this.#timer = setInterval(() => void this.check(), CHECK_MS).unref();
    void this.check();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async check(): Promise<void> {
    this.#checkJump();
    // A database that does not answer is not asked again.
    if (this.#isAsking) return;
    this.#isAsking = true;
    // Failures of the database are reported by its health.
    await this.#checkDatabase().catch(() => {});
    this.#isAsking = false;
  }

  #checkJump(): void {
    const origin = this.#wall() - this.#monotonic();
    const jump = origin - this.#origin;
    this.#origin = origin;
    if (Math.abs(jump) <= TOLERANCE_MS) return;
    const fault = jump > 0 ? "set_forward" : "set_back";
    this.#deps.metrics.count("wharf_clock_faults_total", { fault });
    this.#deps.log.warn({ seconds: jump / 1000 }, "the clock of this machine was set");
  }

  async #checkDatabase(): Promise<void> {
    const { databaseTime, metrics, log } = this.#deps;
    const [asked, began] = [this.#wall(), this.#monotonic()];
    const theirs = await databaseTime();
    if (theirs === undefined) return;
    const tripMs = this.#monotonic() - began;
    const difference = theirs - asked - tripMs / 2;
    const differs = Math.abs(difference) - tripMs / 2 > TOLERANCE_MS;
    if (differs) {
      const fault = difference > 0 ? "database_ahead" : "database_behind";
      metrics.count("wharf_clock_faults_total", { fault });
    }
    if (differs === this.#differs) return;
    this.#differs = differs;
    const fields = { seconds: difference / 1000 };
    if (differs) log.warn(fields, "the clocks of this machine and of the database differ");
    else log.info(fields, "the clocks of this machine and of the database agree again");
  }
}
