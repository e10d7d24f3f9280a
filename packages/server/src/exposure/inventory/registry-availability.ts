import { WharfError } from "../../lib/errors.ts";
import type { Logger } from "../../observe/logger.ts";
import { WorkPostponed } from "../work/worker.ts";

/** A registry that could not be reached is not asked again for so long: each attempt may take until its timeout. */
const PAUSE_MS = 60_000;

/** Attached registries that cannot be reached: their images are read later, and do not delay others. */
export class RegistryAvailability {
  readonly #log: Pick<Logger, "warn">;
  readonly #pauseMs: number;
  /** By host: until when it is not asked, by `performance.now()`. */
  readonly #paused = new Map<string, number>();

  constructor(log: Pick<Logger, "warn">, pauseMs = PAUSE_MS) {
    this.#log = log;
    this.#pauseMs = pauseMs;
  }

  /** Sends a request to a registry. Throws WorkPostponed if it cannot be reached. */
  async ask<T>(host: string, signal: AbortSignal, request: () => Promise<T>): Promise<T> {
    const postponed = () => new WorkPostponed(`the registry ${host} cannot be reached`);
    if ((this.#paused.get(host) ?? 0) > performance.now()) throw postponed();
    try {
      return await request();
    } catch (error) {
      if (signal.aborted || WharfError.from(error).code !== "UNAVAILABLE") throw error;
      this.#paused.set(host, performance.now() + this.#pauseMs);
      const message = "exposure: a registry cannot be reached, and its images are read later";
      this.#log.warn({ host, reason: (error as Error).message }, message);
      throw postponed();
    }
  }
}
