import type { JWTPayload } from "jose";
import { unauthenticated } from "../errors.ts";
import type { Checks } from "./checks.ts";

/** How far clocks may be apart. */
const CLOCKS_APART_SECONDS = 30;

/**
 * Checks that a token's time is now. It must say when it ends; when it begins, it may.
 *
 * @example checkTimes(claims, Date.now(), checks);
 */
export function checkTimes({ exp, nbf, iat }: JWTPayload, now: number, checks: Checks): void {
  const seconds = Math.floor(now / 1000);
  const ended = typeof exp === "number" && exp <= seconds - CLOCKS_APART_SECONDS;
  checks.note(
    {
      claim: "exp",
      expected: `after ${shown(seconds)}`,
      found: shown(exp),
      ok: typeof exp === "number" && !ended,
    },
    () => unauthenticated(ended ? "the token has expired" : 'invalid "exp"'),
  );
  const begun = typeof nbf === "number" && nbf <= seconds + CLOCKS_APART_SECONDS;
  checks.note(
    {
      claim: "nbf",
      expected: `not after ${shown(seconds)}`,
      found: shown(nbf),
      ok: nbf === undefined || begun,
    },
    () => unauthenticated('invalid "nbf"'),
  );
  checks.note(
    {
      claim: "iat",
      expected: "a time",
      found: shown(iat),
      ok: iat === undefined || typeof iat === "number",
    },
    () => unauthenticated('invalid "iat"'),
  );
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
