import { RETRY_DELAYS_MS } from "./retry-schedule.ts";

/** Times of deliveries. Operators cannot choose them; tests choose shorter ones. */
export interface DeliveryTimes {
  /** Lifetime of a lease without renewal: the pause after a process was killed. */
  readonly leaseMs: number;
  /** Time that a sender without work keeps its lease. */
  readonly lingerMs: number;
  /** Polling interval for events of other processes. */
  readonly pollMs: number;
  /** Polling interval for work that nobody reports: subscriptions of other processes, and retries. */
  readonly idlePollMs: number;
  /** From the DNS lookup to the status of the answer. */
  readonly timeoutMs: number;
  readonly retryDelaysMs: readonly number[];
  /** A sink that has failed this long is not tried again. */
  readonly disableAfterMs: number;
}

export const DELIVERY_TIMES: DeliveryTimes = {
  leaseMs: 15_000,
  lingerMs: 5_000,
  pollMs: 200,
  idlePollMs: 1_000,
  timeoutMs: 10_000,
  retryDelaysMs: RETRY_DELAYS_MS,
  disableAfterMs: 5 * 24 * 3_600_000,
};
