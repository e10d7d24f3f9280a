import { WharfError } from "../../../lib/errors.ts";
import type { LaggingCopy, LaggingCopyObserver, Reader } from "../connection.ts";
import { type CostlyLimits, CostlyReads, type ReadOrigin } from "./costly-reads.ts";
import { RequestReader } from "./request-reader.ts";

/** What was read from a standby, and how old it can be. */
export interface StaleResult<T> {
  readonly result: T;
  /** It has everything that was committed this long before the read began. */
  readonly stalenessMs: number;
}

/** Reads of a standby for requests that allow outdated data. */
export class StandbyReads {
  readonly #copy: LaggingCopy;
  readonly #costly: CostlyReads;
  /** Reads that were begun, and those of them that failed and were repeated on the primary. */
  readonly totals = { begun: 0, failed: 0 };

  constructor(copy: LaggingCopy, limits?: Partial<CostlyLimits>) {
    this.#copy = copy;
    this.#costly = new CostlyReads(copy.costly, limits);
  }

  /** How old what is read now can be; undefined while the standby cannot be used. */
  get stalenessMs(): number | undefined {
    return this.#copy.stalenessMs;
  }

  observe(observer: LaggingCopyObserver): void {
    this.#copy.observe(observer);
  }

  /**
   * Reads for a request. Undefined if the standby is older than the request allows, or fails: then the primary has to be
   * read. Errors of the request itself are thrown.
   */
  async tryRead<T>(
    origin: ReadOrigin,
    maxStalenessMs: number,
    read: (reader: Reader) => Promise<T>,
  ): Promise<StaleResult<T> | undefined> {
    const { stalenessMs } = this.#copy;
    if (stalenessMs === undefined || stalenessMs > maxStalenessMs) return undefined;
    this.totals.begun++;
    try {
      const result = await read(new RequestReader(this.#copy.reader, this.#costly, origin));
      return { result, stalenessMs };
    } catch (error) {
      if (error instanceof WharfError && error.code !== "UNAVAILABLE") throw error;
      this.totals.failed++;
      this.#copy.lost();
      return undefined;
    }
  }
}
