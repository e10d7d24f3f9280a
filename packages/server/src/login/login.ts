import type { Addresses } from "../config/addresses.ts";
import type { Settings } from "../config/settings.ts";
import type { AuditedDeps } from "../engine/audit/aggregator.ts";
import type { ListDeps } from "../engine/list/lists.ts";
import type { WriteDeps } from "../engine/write/mutation.ts";
import { WharfError } from "../lib/errors.ts";
import type { RateLimits } from "../lib/scheduling/rate-limits.ts";
import type { Transaction } from "../store/db/commit/transaction.ts";
import { addTicket, consumeTicket, readTicket } from "../store/tables/login/tickets.ts";
import { readAudiences } from "../sts/audiences.ts";
import type { HttpRequest } from "../wire/endpoint.ts";
import { browserCookieOf, browserDigest, newSecret } from "./browser.ts";
import type { PasswordHasher } from "./local/password.ts";
import type { LoginRequest } from "./oauth/request.ts";
import type { Person } from "./people/person.ts";
import type { Sessions } from "./people/sessions.ts";
import type { ProviderLogin, Upstream } from "./providers/provider-login.ts";
import type { SealedTickets } from "./sealed-tickets.ts";

/** A sign-in in progress. */
export interface Login {
  readonly request: LoginRequest;
  /** The digest of the cookie of the browser that started it. */
  readonly browser: string;
  /** Set while the browser is at an identity provider. */
  readonly upstream?: Upstream;
  /**
   * The origin where the browser started and has its cookie, if that is not the origin of the auth
   * URL.
   */
  readonly site?: string;
  /** Set once the person has signed in. */
  readonly person?: Person;
  /** Whether the person has just joined with the invite. */
  readonly joined?: boolean;
}

export interface LoginDeps extends WriteDeps, ListDeps, AuditedDeps {
  readonly settings: Settings;
  readonly sessions: Sessions;
  readonly providers: ProviderLogin;
  readonly sealed: SealedTickets;
  readonly passwords: PasswordHasher;
  readonly limits: RateLimits;
  addresses(): Addresses;
}

/** Long enough to find a second factor, short enough for an unattended browser. */
const LOGIN_TTL_MS = 15 * 60_000;

const PURPOSE = "login";

/** The purpose of tickets that mark sealed ones as redeemed. */
const REDEEMED = "redeemed login";

/**
 * Returns the ticket of the next step. Before the sign-in, the ticket itself contains the sealed
 * login: anyone can start logins, which must not fill the store. After the sign-in, the login is
 * stored, so that ending the person's sessions ends it, too.
 */
export async function saveLogin(deps: LoginDeps, login: Login, now: number): Promise<string> {
  const { person } = login;
  if (person === undefined) return sealLogin(deps, login, now);
  const secret = newSecret();
  await deps.store.write((tx) => saveSignedInLogin(tx, secret, { ...login, person }, now));
  return secret;
}

/** The sealed ticket of a login before the sign-in. */
export function sealLogin({ sealed }: LoginDeps, login: Login, now: number): string {
  return sealed.seal(PURPOSE, login, now + LOGIN_TTL_MS);
}

/** Stores a login after the sign-in, within a transaction. */
export async function saveSignedInLogin(
  tx: Transaction,
  secret: string,
  login: Login & { readonly person: Person },
  now: number,
): Promise<void> {
  const { identity, provider } = login.person;
  const expires = now + LOGIN_TTL_MS;
  await addTicket(tx, { purpose: PURPOSE, secret, payload: login, expires, identity, provider });
}

/**
 * Resumes a login. Each ticket is valid for one step and for the browser that started the login.
 * This writes nothing to the store for sealed tickets: a step that signs someone in must redeem
 * them.
 */
export async function resumeLogin(
  deps: LoginDeps,
  request: HttpRequest,
  ticket: string | null,
  now: number,
): Promise<Login> {
  const { sealed, addresses } = deps;
  const text = ticket ?? "";
  const opened = sealed.open<Login>(PURPOSE, text, now);
  if (opened === undefined) return redeemLogin(deps, request, text, now);
  // Use by another browser invalidates the ticket, too: one of the two is an attacker.
  const unused = sealed.useOnce(text) ? opened.payload : undefined;
  const login = requireSameBrowser(unused, request, addresses());
  await checkNotRedeemed(deps, text, now);
  return login;
}

/** Redeems the ticket of a login on all replicas: a second call is rejected. */
export function redeemLogin(
  deps: LoginDeps,
  request: HttpRequest,
  ticket: string,
  now: number,
): Promise<Login> {
  return deps.store.write((tx) => redeemLoginIn(deps, tx, request, ticket, now));
}

/** As redeemLogin, within a transaction. If that is rolled back, the ticket stays valid. */
export async function redeemLoginIn(
  { sealed, addresses }: LoginDeps,
  tx: Transaction,
  request: HttpRequest,
  ticket: string,
  now: number,
): Promise<Login> {
  const opened = sealed.open<Login>(PURPOSE, ticket, now);
  if (opened === undefined) {
    return requireSameBrowser(
      await consumeTicket<Login>(tx, PURPOSE, ticket, now),
      request,
      addresses(),
    );
  }
  const login = requireSameBrowser(opened.payload, request, addresses());
  const mark = { purpose: REDEEMED, secret: ticket, payload: {}, identity: "" };
  return (await addTicket(tx, { ...mark, expires: opened.expires })) ? login : rejected();
}

/** Reads a login without redeeming its ticket. */
export async function peekLogin(
  deps: LoginDeps,
  request: HttpRequest,
  ticket: string,
  now: number,
): Promise<Login> {
  const { store, sealed, addresses } = deps;
  const opened = sealed.open<Login>(PURPOSE, ticket, now);
  if (opened === undefined) {
    const stored = await readTicket<Login>(store.reader, PURPOSE, ticket, now);
    return requireSameBrowser(stored, request, addresses());
  }
  const unused = sealed.isUsed(ticket) ? undefined : opened.payload;
  const login = requireSameBrowser(unused, request, addresses());
  await checkNotRedeemed(deps, ticket, now);
  return login;
}

async function checkNotRedeemed({ store }: LoginDeps, ticket: string, now: number) {
  if (await readTicket(store.reader, REDEEMED, ticket, now)) rejected();
}

/**
 * The origin where a login must continue, if that is not the origin of the auth URL. Reveals
 * nothing else, so any browser may ask.
 */
export function returnOriginOf(
  { sealed }: LoginDeps,
  ticket: string,
  now: number,
): string | undefined {
  return sealed.open<Login>(PURPOSE, ticket, now)?.payload.site;
}

function requireSameBrowser(
  login: Login | undefined,
  request: HttpRequest,
  { authUrl }: Addresses,
): Login {
  const cookie = browserCookieOf(request, authUrl);
  const same = cookie !== undefined && browserDigest(cookie) === login?.browser;
  return login !== undefined && same ? login : rejected();
}

function rejected(): never {
  throw new WharfError(
    "PERMISSION_DENIED",
    "this sign-in has expired, was already used, or was started in another browser",
  );
}

/** Rejects foreign audiences before anyone signs in for them. None stands for the API. */
export function checkAudiences(
  { settings, addresses }: LoginDeps,
  audiences: readonly string[],
): void {
  if (audiences.length > 0) readAudiences(audiences, settings, addresses());
}

/** The destination of the browser after a sign-in with the passkey script. */
export const CONTINUE_PATH = "/oauth/continue";

/** The URL that continues the login of a ticket. */
export function continueAt(ticket: string): string {
  return `${CONTINUE_PATH}?login=${ticket}`;
}
