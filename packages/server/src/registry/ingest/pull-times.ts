import { BoundedCache } from "../../lib/bounded-cache.ts";

/** The precision of stored pull times. The audit log has every pull. */
const RESOLUTION_MS = 5_000;

const MAX_CACHE_ENTRIES = 10_000;

interface Pull {
  readonly path: string;
  readonly digest: string;
  readonly time: number;
}

/** Throttles writes of the time of the last pull, per image. */
export class PullTimes {
  readonly #recorded = new BoundedCache<string, number>({ maxEntries: MAX_CACHE_ENTRIES });

  readonly #resolutionMs: number;

  constructor(resolutionMs = RESOLUTION_MS) {
    this.#resolutionMs = resolutionMs;
  }

  /** Whether the time of a pull is to be written. */
  isDue({ path, digest, time }: Pull): boolean {
    const last = this.#recorded.get(`${path}@${digest}`);
    return last === undefined || Math.abs(time - last) >= this.#resolutionMs;
  }

  /** To be called after the commit: a notification that fails is sent again. */
  markRecorded({ path, digest, time }: Pull): void {
    this.#recorded.set(`${path}@${digest}`, time);
  }
}
