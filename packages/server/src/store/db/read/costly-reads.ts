import { tooMany, WharfError } from "../../../lib/errors.ts";
import { FairQueue, QueueFullError } from "../../../lib/scheduling/fair-queue.ts";
import { type ShareHolder, shareOf } from "../../../lib/scheduling/share.ts";
import type { CostlyLane, Statement } from "../connection.ts";

/** Limits of costly reads. */
export interface CostlyLimits {
  /** Costly reads of one share that wait; more are rejected. */
  readonly maxQueuedPerShare: number;
  /** Bound of the queue over all shares. */
  readonly maxQueued: number;
  /** Timeout of a read. */
  readonly maxMs: number;
}

const LIMITS: CostlyLimits = { maxQueuedPerShare: 500, maxQueued: 2_000, maxMs: 20_000 };

/** When callers may try again. */
const RETRY_AFTER_SECONDS = 1;

/** The request that a read is for. */
export interface ReadOrigin extends ShareHolder {
  /** Aborted when the client is gone, or the deadline has passed. Asked for when a read is costly. */
  readonly signal: AbortSignal;
}

/**
 * Runs costly statements beside all others. Shares of callers take turns; one that waits with many, or all of them together,
 * get RESOURCE_EXHAUSTED. A statement is interrupted when its request ends, and after a maximum time.
 */
export class CostlyReads {
  readonly #lane: CostlyLane;
  readonly #limits: CostlyLimits;
  readonly #queue: FairQueue;
  /** Statements that were begun, that were interrupted, and that found the queue full. */
  readonly totals = { begun: 0, interrupted: 0, rejected: 0 };

  constructor(lane: CostlyLane, limits: Partial<CostlyLimits> = {}) {
    this.#lane = lane;
    const { concurrency, maxQueuedPerShare: ofLane = LIMITS.maxQueuedPerShare } = lane;
    this.#limits = { ...LIMITS, maxQueuedPerShare: ofLane, ...limits };
    const { maxQueuedPerShare, maxQueued } = this.#limits;
    this.#queue = new FairQueue({
      concurrency,
      // At least one remains for other keys.
      concurrencyPerKey: Math.max(1, concurrency - 1),
      maxQueuedPerKey: maxQueuedPerShare,
      maxQueued,
    });
  }

  /** Statements that run, and that wait. */
  get size(): FairQueue["size"] {
    return this.#queue.size;
  }

  /** Runs a statement for a request. */
  async read(statement: Statement, origin: ReadOrigin): Promise<unknown> {
    const result = this.#lane.immediately?.(statement);
    if (result !== undefined) return result;
    const { signal } = origin;
    signal.throwIfAborted();
    const ended = new AbortController();
    const end = () => ended.abort(signal.reason);
    signal.addEventListener("abort", end);
    try {
      return await new Promise((resolve, reject) => {
        // Its caller need not wait until it is interrupted.
        ended.signal.addEventListener("abort", () => reject(ended.signal.reason));
        const run = () => this.#run(statement, ended);
        this.#queue
          .run(shareOf(origin).key, run, ended.signal)
          .then(resolve, (error) => reject(this.#rejection(error)));
      });
    } finally {
      signal.removeEventListener("abort", end);
    }
  }

  async #run(statement: Statement, ended: AbortController): Promise<unknown> {
    const { maxMs } = this.#limits;
    const timer = setTimeout(() => ended.abort(tookTooLong(maxMs)), maxMs);
    this.totals.begun++;
    try {
      return await this.#lane.run(statement, ended.signal);
    } finally {
      clearTimeout(timer);
      if (ended.signal.aborted) this.totals.interrupted++;
    }
  }

  #rejection(error: unknown): unknown {
    if (!(error instanceof QueueFullError)) return error;
    this.totals.rejected++;
    return tooManyReads(error);
  }
}

/** The error of a read that a queue has no place for. */
function tooManyReads({ full }: QueueFullError): WharfError {
  const whose = full === "key" ? "your organization or network" : "all callers";
  const text = `too many expensive reads of ${whose} are waiting: try again, or narrow the list`;
  return tooMany(text, RETRY_AFTER_SECONDS);
}

function tookTooLong(ms: number): WharfError {
  const text = `the read took longer than ${ms / 1_000} s: narrow the list, or choose another order`;
  return new WharfError("DEADLINE_EXCEEDED", text);
}
