const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The pauses after failed attempts, as the specification of Standard Webhooks recommends: about three days. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** Pauses are up to this part longer, so that many deliveries that fail together are not repeated together. */
const JITTER = 0.2;

/** The longest pause that a sink can ask for. */
const MAX_RETRY_AFTER_MS = 24 * HOUR;

/**
 * The delay before the next attempt after a number of failed ones; undefined after the last one. A jitter of 1 gives the
 * bound.
 */
export function retryDelay(
  failedAttempts: number,
  retryAfterMs = 0,
  delays: readonly number[] = RETRY_DELAYS_MS,
  jitter = Math.random(),
): number | undefined {
  const delay = delays[failedAttempts - 1];
  if (delay === undefined) return undefined;
  const jittered = delay * (1 + jitter * JITTER);
  return Math.ceil(Math.max(jittered, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS)));
}

/** The pause after a number of consecutive failures: doubled with each, up to a bound. */
export function backoff(failures: number, minMs: number, maxMs: number): number {
  return Math.min(minMs * 2 ** (failures - 1), maxMs);
}

/** The milliseconds of a Retry-After header: seconds or a date; 0 without one. */
export function readRetryAfter(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  const text = header.trim();
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * SECOND : Date.parse(text) - now;
  return Number.isNaN(ms) ? 0 : Math.max(0, Math.min(ms, MAX_RETRY_AFTER_MS));
}
