import { Auth } from "@wharf/contract";
import { ANONYMOUS } from "../auth/caller.ts";
import type { Addresses } from "../config/addresses.ts";
import type { Settings } from "../config/settings.ts";
import type { Engine } from "../engine/engine.ts";
import { WharfError } from "../lib/errors.ts";
import type { Call } from "../rpc/call.ts";
import type { Transaction } from "../store/db/group-commit.ts";
import { putTicket, readTicket, takeTicket } from "../store/tables/tickets.ts";
import { readAudiences } from "../sts/audiences.ts";
import type { HttpRequest } from "../wire/endpoint.ts";
import { browserDigest, browserOf, newSecret } from "./browser.ts";
import type { PasswordHasher } from "./local/password.ts";
import type { LoginRequest } from "./oauth/request.ts";
import type { Person } from "./people/person.ts";
import type { Sessions } from "./people/sessions.ts";
import type { ProviderLogin, Upstream } from "./providers/provider-login.ts";
import type { SealedTickets } from "./sealed-tickets.ts";

/** A login on its way through the browser. */
export interface Login {
  readonly request: LoginRequest;
  /** Tells the browser that began it from every other. */
  readonly browser: string;
  /** While the browser is at an identity provider. */
  readonly upstream?: Upstream;
  /** The origin at which the browser began, and has its cookie, where that is not the auth URL's. */
  readonly site?: string;
  /** Once it is known who logs in. */
  readonly person?: Person;
  /** Whether the person has just joined with the login's invite. */
  readonly joined?: boolean;
}

/** What all steps of a login work with. */
export interface LoginDeps {
  readonly engine: Engine;
  readonly settings: Settings;
  readonly sessions: Sessions;
  readonly providers: ProviderLogin;
  readonly sealed: SealedTickets;
  readonly passwords: PasswordHasher;
  addresses(): Addresses;
}

/** Time enough to find one's phone, and too little to find one's browser unattended tomorrow. */
const LOGIN_MS = 15 * 60_000;

const PURPOSE = "login";

/** Marks a sealed ticket as redeemed. */
const REDEEMED = "redeemed login";

/**
 * The ticket with which a login goes on at its next step. Until somebody has signed in, the login is
 * sealed in the ticket and kept by the browser alone: anyone can begin logins, and must not fill the
 * store. From then on it is stored, so that ending the person's sessions ends it as well.
 */
export async function keepLogin(deps: LoginDeps, login: Login, now: number): Promise<string> {
  const { person } = login;
  if (person === undefined) return sealLogin(deps, login, now);
  const secret = newSecret();
  await deps.engine.store.write((tx) => keepSignedIn(tx, secret, { ...login, person }, now));
  return secret;
}

/** The ticket of a login in which sign in first. */
export function sealLogin({ sealed }: LoginDeps, login: Login, now: number): string {
  return sealed.seal(PURPOSE, login, now + LOGIN_MS);
}

/** Stores a login whose person is known under a secret, within a transaction. */
export async function keepSignedIn(
  tx: Transaction,
  secret: string,
  login: Login & { readonly person: Person },
  now: number,
): Promise<void> {
  const { identity, provider } = login.person;
  const expires = now + LOGIN_MS;
  await putTicket(tx, { purpose: PURPOSE, secret, payload: login, expires, identity, provider });
}

/**
 * Goes on with a login; each ticket is for one step. Rejects another browser's. What is sealed leaves
 * nothing in the store here: a step that signs somebody in redeems it as well.
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
  // Another browser spends it, too: one of the two is not the person's.
  const unused = sealed.useOnce(text) ? opened.payload : undefined;
  const login = ofThisBrowser(unused, request, addresses());
  await checkNotRedeemed(deps, text, now);
  return login;
}

/** Redeems the ticket of a login for good, on all replicas: the second caller is rejected. */
export function redeemLogin(
  deps: LoginDeps,
  request: HttpRequest,
  ticket: string,
  now: number,
): Promise<Login> {
  return deps.engine.store.write((tx) => takeLogin(deps, tx, request, ticket, now));
}

/** As redeemLogin, within a transaction: when that fails, the ticket is still valid. */
export async function takeLogin(
  { sealed, addresses }: LoginDeps,
  tx: Transaction,
  request: HttpRequest,
  ticket: string,
  now: number,
): Promise<Login> {
  const opened = sealed.open<Login>(PURPOSE, ticket, now);
  if (opened === undefined) {
    return ofThisBrowser(await takeTicket<Login>(tx, PURPOSE, ticket, now), request, addresses());
  }
  const login = ofThisBrowser(opened.payload, request, addresses());
  const mark = { purpose: REDEEMED, secret: ticket, payload: {}, identity: "" };
  return (await putTicket(tx, { ...mark, expires: opened.expires })) ? login : rejected();
}

/** Reads a login and leaves its ticket valid. */
export async function openLogin(
  deps: LoginDeps,
  request: HttpRequest,
  ticket: string,
  now: number,
): Promise<Login> {
  const { engine, sealed, addresses } = deps;
  const opened = sealed.open<Login>(PURPOSE, ticket, now);
  if (opened === undefined) {
    const stored = await readTicket<Login>(engine.store.reader, PURPOSE, ticket, now);
    return ofThisBrowser(stored, request, addresses());
  }
  const unused = sealed.isUsed(ticket) ? undefined : opened.payload;
  const login = ofThisBrowser(unused, request, addresses());
  await checkNotRedeemed(deps, ticket, now);
  return login;
}

async function checkNotRedeemed({ engine }: LoginDeps, ticket: string, now: number) {
  if (await readTicket(engine.store.reader, REDEEMED, ticket, now)) rejected();
}

/**
 * The origin at which a login must go on, where that is not the auth URL's. Reads nothing else, so
 * any browser may ask.
 */
export function siteOf({ sealed }: LoginDeps, ticket: string, now: number): string | undefined {
  return sealed.open<Login>(PURPOSE, ticket, now)?.payload.site;
}

function ofThisBrowser(
  login: Login | undefined,
  request: HttpRequest,
  { authUrl }: Addresses,
): Login {
  const cookie = browserOf(request, authUrl);
  const same = cookie !== undefined && browserDigest(cookie) === login?.browser;
  return login !== undefined && same ? login : rejected();
}

function rejected(): never {
  throw new WharfError(
    "PERMISSION_DENIED",
    "this sign-in has expired, was already used, or was started in another browser",
  );
}

/**
 * Refuses audiences that are not ours before anyone logs in for them: the API is meant when none
 * is named.
 */
export function checkAudiences(
  { settings, addresses }: LoginDeps,
  audiences: readonly string[],
): void {
  if (audiences.length > 0) readAudiences(audiences, settings, addresses());
}

/** A request of a browser as a call: what it does is noted as a registration. */
export function callOf(request: HttpRequest, time = Date.now()): Call {
  return {
    requestId: request.requestId,
    authorization: undefined,
    format: "json",
    remoteAddress: request.remoteAddress,
    userAgent: request.headers["user-agent"] ?? "",
    signal: AbortSignal.timeout(LONGEST_MS),
    method: Auth.method.register,
    caller: ANONYMOUS,
    time,
  };
}

/** As long as any request may take. */
const LONGEST_MS = 30_000;
