import { browserSignInOf, requireRecentSignIn } from "../../auth/recent-sign-in.ts";
import { requireBearer } from "../../lib/bearer.ts";
import { unauthenticated, WharfError } from "../../lib/errors.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import { findSessionForChange } from "../../store/tables/login/sessions.ts";
import type { ExchangeDeps } from "../../sts/authorize-subject.ts";
import { verifyOwnToken } from "../../sts/own-token.ts";
import type { HttpRequest } from "../../wire/endpoint.ts";
import { findConsoleSession, requireSameOrigin } from "../console/session.ts";
import type { LoginDeps } from "../login.ts";

/** A session of the console that may change the credentials of its local account. */
export interface AccountSession {
  readonly id: string;
  readonly identity: string;
  /** The time of the sign-in, in milliseconds since 1970. */
  readonly signedIn: number;
}

/**
 * The session of a request that changes credentials. It takes the cookie of the console, the origin of the console, a
 * token of the same session and a recent sign-in. A stolen token has no cookie, another site has neither token nor
 * origin, and a page of a person who has signed out does not change the account of the next.
 */
export async function requireAccountSession(
  deps: LoginDeps,
  exchange: ExchangeDeps,
  http: HttpRequest,
  now: number,
): Promise<AccountSession> {
  requireSameOrigin(http);
  const session = (await findConsoleSession(deps, http, now))?.session;
  if (session === undefined) throw unauthenticated("sign in to use the console");
  const token = requireBearer(http.headers.authorization, "a token of the console");
  const verified = await verifyOwnToken(exchange, token, now);
  if (verified.session !== session.id || verified.subject !== session.identity)
    throw unauthenticated("the token is one of another session");
  if (session.provider !== "") throw noLocalAccount();
  // Sessions of the console without a time of sign-in have no recent one.
  const signedIn = browserSignInOf(session) ?? 0;
  requireRecentSignIn({ signedIn }, now);
  return { id: session.id, identity: session.identity, signedIn };
}

/** Locks the session within a transaction: a reset, or another browser, may have ended it. */
export async function lockAccountSession(
  tx: Transaction,
  { id }: AccountSession,
  now: number,
): Promise<void> {
  const session = await findSessionForChange(tx, id);
  if (session === undefined || session.expires <= now)
    throw unauthenticated("the session has ended");
}

/** Identity providers manage the credentials of their people. */
export function noLocalAccount(): WharfError {
  return new WharfError(
    "PERMISSION_DENIED",
    "your identity provider manages your password and passkeys",
  );
}
