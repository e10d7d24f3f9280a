import { RECENT_SIGN_IN, RECENT_SIGN_IN_MS, WharfError } from "../lib/errors.ts";
import type { StoredSession } from "../store/tables/login/sessions.ts";
import type { Caller } from "./caller.ts";

/** The sign-in of a session, as it is stored with the person. */
export interface StoredSignIn {
  /** When the person authenticated, in milliseconds since 1970; 0 if the identity provider does not say. */
  readonly signedIn?: number;
  /** Whether the session is one of the console. */
  readonly isBrowser?: boolean;
}

/**
 * When the person of a browser session authenticated; undefined for sessions of tools. The store decides, by the `sid` of a
 * token, so that no exchange yields a token of the session that the rule does not cover.
 */
export function browserSignInOf({ created, person }: StoredSession): number | undefined {
  const { signedIn = 0, isBrowser = false } = JSON.parse(person) as StoredSignIn;
  return isBrowser ? Math.min(signedIn, created) : undefined;
}

/**
 * Rejects callers in a browser whose sign-in is too long ago, or who did so at an unknown time (RFC 9470). Tools and
 * workloads are never rejected.
 */
export function requireRecentSignIn({ signedIn }: Pick<Caller, "signedIn">, now: number): void {
  if (signedIn === undefined || isRecentSignIn(signedIn, now)) return;
  throw new WharfError("UNAUTHENTICATED", "sign in again to do this", { reason: RECENT_SIGN_IN });
}

export function isRecentSignIn(signedIn: number, now: number): boolean {
  return now - signedIn <= RECENT_SIGN_IN_MS;
}
