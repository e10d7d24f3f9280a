import type { JWTPayload } from "jose";
import { CLOCK_SKEW_SECONDS } from "../../lib/clock-skew.ts";
import { unauthenticated } from "../../lib/errors.ts";
import type { Checks } from "./checks.ts";

/**
 * Checks the time claims of a token: `exp` is required and must be in the future; `nbf` and `iat` are
 * optional and must not be.
 */
export function checkTimeClaims({ exp, nbf, iat }: JWTPayload, now: number, checks: Checks): void {
  const seconds = Math.floor(now / 1000);
  const isExpired = isTime(exp) && exp <= seconds - CLOCK_SKEW_SECONDS;
  checks.add(
    {
      claim: "exp",
      expected: `after ${shown(seconds)}`,
      found: shown(exp),
      ok: isTime(exp) && !isExpired,
    },
    () => unauthenticated(isExpired ? "the token has expired" : 'invalid "exp"'),
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

/** Whether a claim is a time that is not in the future, allowing for clock skew. */
export function isNotInFuture(time: unknown, now: number): boolean {
  return isTime(time) && time <= Math.floor(now / 1000) + CLOCK_SKEW_SECONDS;
}

/** A finite number of seconds: JSON.parse yields Infinity for numbers such as 1e999. */
function isTime(value: unknown): value is number {
  return Number.isFinite(value);
}

/** The range of Date. */
const MAX_DATE_SECONDS = 8_640_000_000_000;

/** A time claim in ISO 8601, or as JSON if it is not a time. */
function shown(value: unknown): string {
  if (value === undefined) return "none";
  if (typeof value === "number" && Math.abs(value) <= MAX_DATE_SECONDS)
    return new Date(value * 1000).toISOString();
  return JSON.stringify(value) ?? "";
}
