import { backoff } from "../../delivery/retry-schedule.ts";
import type { SubscriptionHealthRow } from "../../store/tables/events/subscription-states.ts";
import type { AttemptOutcome } from "./outcomes.ts";

/** The pauses of a failing sink, beside those of each delivery: doubled with each failure. */
const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 60_000;

/** The time of the last success is stored this often. */
const STORE_MS = 60_000;

const HEALTHY: SubscriptionHealthRow = {
  failingSince: 0,
  lastSuccess: 0,
  lastFailure: 0,
  pauseMs: 0,
};

/** Health of a subscription's sink, stored with the results for the next sender. */
export class SinkHealth {
  #row: SubscriptionHealthRow;
  #failures: number;
  #pausedUntil: number;

  constructor(row: SubscriptionHealthRow = HEALTHY) {
    this.#row = row;
    this.#failures = row.failingSince > 0 ? 1 : 0;
    this.#pausedUntil = performance.now() + row.pauseMs;
  }

  /** Whether the last attempt failed. */
  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** Since when every attempt has failed; 0 if the last one succeeded. */
  get failingSince(): number {
    return this.#row.failingSince;
  }

  /** The sink is left alone until then, by the monotonic clock. */
  get pausedUntil(): number {
    return this.#pausedUntil;
  }

  /** Lets the sink rest, without a failure of its own. */
  pause(ms: number): void {
    this.#pausedUntil = performance.now() + ms;
  }

  /** Applies the outcomes of attempts. Returns what to store; undefined if it has hardly changed. */
  after(outcomes: readonly AttemptOutcome[], now: number): SubscriptionHealthRow | undefined {
    const before = this.#row;
    const failed = outcomes.filter(({ outcome }) => outcome !== "delivered");
    const isDelivered = failed.length < outcomes.length;
    if (isDelivered) this.#failures = 0;
    // Requests that fail together count as one failure.
    if (failed.length > 0) this.#failures += 1;
    const backoffMs = backoff(this.#failures, MIN_PAUSE_MS, MAX_PAUSE_MS);
    const pauseMs = Math.max(backoffMs, ...failed.map((one) => one.pauseMs));
    const isUnchanged = failed.length === 0 && before.failingSince === 0;
    if (isUnchanged && now - before.lastSuccess < STORE_MS) return undefined;
    this.#row = {
      failingSince: isDelivered ? 0 : before.failingSince || now,
      lastSuccess: isDelivered ? now : before.lastSuccess,
      lastFailure: failed.length > 0 ? now : before.lastFailure,
      pauseMs: failed.length > 0 ? Math.max(this.#pausedUntil - performance.now(), pauseMs) : 0,
    };
    this.#pausedUntil = performance.now() + this.#row.pauseMs;
    return this.#row;
  }
}
