import type { JWTPayload } from "jose";
import { unauthenticated } from "../../lib/errors.ts";
import type { Checks } from "./checks.ts";

/** How far clocks may be apart. */
const CLOCKS_APART_SECONDS = 30;

/**
 * Checks that a token's time is now. It must say when it expires; it may say from when on it is valid
 * and when it was issued, neither of which may be in the future.
 */
export function checkTimeClaims({ exp, nbf, iat }: JWTPayload, now: number, checks: Checks): void {
  const seconds = Math.floor(now / 1000);
  const ended = isTime(exp) && exp <= seconds - CLOCKS_APART_SECONDS;
  checks.add(
    {
      claim: "exp",
      expected: `after ${shown(seconds)}`,
      found: shown(exp),
      ok: isTime(exp) && !ended,
    },
    () => unauthenticated(ended ? "the token has expired" : 'invalid "exp"'),
  );
  checks.add(
    {
      claim: "nbf",
      expected: `not after ${shown(seconds)}`,
      found: shown(nbf),
      ok: nbf === undefined || isNotInFuture(nbf, now),
    },
    () => unauthenticated('invalid "nbf"'),
  );
  checks.add(
    {
      claim: "iat",
      expected: `not after ${shown(seconds)}`,
      found: shown(iat),
      ok: iat === undefined || isNotInFuture(iat, now),
    },
    () => unauthenticated('invalid "iat"'),
  );
}

/** Whether a claim is a time that is not in the future, but for clocks that are apart. */
export function isNotInFuture(time: unknown, now: number): boolean {
  return isTime(time) && time <= Math.floor(now / 1000) + CLOCKS_APART_SECONDS;
}

/** A number of seconds; JSON also has numbers that are read as infinite. */
function isTime(value: unknown): value is number {
  return Number.isFinite(value);
}

/** The last second that has a date. */
const LAST_SECOND = 8_640_000_000_000;

/** A claim that should be a time, as people read times. */
function shown(value: unknown): string {
  if (value === undefined) return "none";
  if (typeof value === "number" && Math.abs(value) <= LAST_SECOND)
    return new Date(value * 1000).toISOString();
  return JSON.stringify(value) ?? "";
}
