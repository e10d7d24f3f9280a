import { WharfError } from "../../lib/errors.ts";
import type { Logger } from "../../observe/logger.ts";
import { WorkPostponed } from "../work/worker.ts";

/** Pauses of a registry that cannot be reached: each attempt may take until its timeout. */
export interface PauseTimes {
  readonly firstMs: number;
  /** Each pause is twice the one before, up to this. */
  readonly lastMs: number;
}

const PAUSE_TIMES: PauseTimes = { firstMs: 1_000, lastMs: 60_000 };

/** The current pause of a registry, or its last one. */
interface Pause {
  /** By `performance.now()`. */
  readonly until: number;
  readonly ms: number;
}

/** Attached registries that cannot be reached: their images are read later, and do not delay others. */
export class RegistryAvailability {
  readonly #log: Pick<Logger, "warn">;
  readonly #times: PauseTimes;
  /** By host, since the last response. */
  readonly #pauses = new Map<string, Pause>();

  constructor(log: Pick<Logger, "warn">, times = PAUSE_TIMES) {
    this.#log = log;
    this.#times = times;
  }

  /** Sends a request to a registry. Throws WorkPostponed if it cannot be reached. */
  async ask<T>(host: string, signal: AbortSignal, request: () => Promise<T>): Promise<T> {
    const postponed = () => new WorkPostponed(`the registry ${host} cannot be reached`);
    if (this.#isPaused(host)) throw postponed();
    try {
      const response = await request();
      this.#pauses.delete(host);
      return response;
    } catch (error) {
      if (signal.aborted) throw error;
      if (WharfError.from(error).code === "UNAVAILABLE") {
        this.#pause(host, error as Error);
        throw postponed();
      }
      this.#pauses.delete(host);
      throw error;
    }
  }

  #isPaused(host: string): boolean {
    return (this.#pauses.get(host)?.until ?? 0) > performance.now();
  }

  /** Requests that fail at the same time are one failure. */
  #pause(host: string, { message: reason }: Error): void {
    if (this.#isPaused(host)) return;
    const { firstMs, lastMs } = this.#times;
    const before = this.#pauses.get(host);
    const ms = before === undefined ? firstMs : Math.min(2 * before.ms, lastMs);
    this.#pauses.set(host, { until: performance.now() + ms, ms });
    const message = "exposure: a registry cannot be reached, and its images are read later";
    this.#log.warn({ host, reason, pauseMs: ms }, message);
  }
}
