/** Tolerated clock skew: the clocks of issuers and replicas may be ahead of ours by it. */
export const CLOCK_SKEW_SECONDS = 30;

/** Whether a time, in milliseconds, is later than clock skew explains. */
export function isInFuture(time: number, now: number): boolean {
  return time > now + CLOCK_SKEW_SECONDS * 1000;
}
