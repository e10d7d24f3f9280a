import { BoundedCache } from "../../lib/bounded-cache.ts";

/** How exact the time of the last pull is: the audit has every pull. */
const EVERY_MS = 5_000;

/** Images pulled lately that are remembered. */
const MOST = 10_000;

/** A pull, as far as its time goes. */
interface Pull {
  readonly path: string;
  readonly digest: string;
  readonly time: number;
}

/** Which images had the time of their last pull kept a moment ago, so that it need not be again. */
export class PullTimes {
  readonly #kept = new BoundedCache<string, number>({ maxEntries: MOST });

  /** Whether the time of a pull is to be kept. */
  isDue({ path, digest, time }: Pull): boolean {
    const last = this.#kept.get(`${path}@${digest}`);
    return last === undefined || Math.abs(time - last) >= EVERY_MS;
  }

  /** Notes that it was: not before, for what fails is told again. */
  keep({ path, digest, time }: Pull): void {
    this.#kept.set(`${path}@${digest}`, time);
  }
}
