import { Auth } from "@wharf/contract";
import type { Addresses } from "../addresses.ts";
import { ANONYMOUS } from "../auth/caller.ts";
import type { Engine } from "../engine/engine.ts";
import { WharfError } from "../errors.ts";
import type { Call } from "../rpc/call.ts";
import type { Transaction } from "../store/group-commit.ts";
import { putTicket, readTicket, takeTicket } from "../store/tickets.ts";
import { readAudiences } from "../sts/audiences.ts";
import type { HttpRequest } from "../wire/endpoint.ts";
import { browserDigest, browserOf, newSecret } from "./browser.ts";
import type { Person } from "./person.ts";
import type { ProviderLogin, Upstream } from "./provider-login.ts";
import type { LoginRequest } from "./request.ts";
import type { Sessions } from "./sessions.ts";

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
export interface LoginParts {
  readonly engine: Engine;
  readonly sessions: Sessions;
  readonly providers: ProviderLogin;
  addresses(): Addresses;
}

/** Time enough to find one's phone, and too little to find one's browser unattended tomorrow. */
const LOGIN_MS = 15 * 60_000;

const PURPOSE = "login";

/**
 * Keeps a login until its next step. The ticket goes through the browser; each step has its own,
 * so none can be done twice.
 *
 * @example const ticket = await keepLogin(parts, login, Date.now());
 */
export async function keepLogin(
  { engine }: LoginParts,
  login: Login,
  now: number,
): Promise<string> {
  const secret = newSecret();
  await engine.store.write((tx) => keepLoginAs(tx, secret, login, now));
  return secret;
}

/** As keepLogin, where the ticket is made beforehand. */
export async function keepLoginAs(
  tx: Transaction,
  secret: string,
  login: Login,
  now: number,
): Promise<void> {
  await putTicket(tx, { purpose: PURPOSE, secret, payload: login, expires: now + LOGIN_MS }, now);
}

/**
 * Goes on with a login: takes it from where the last step kept it. Refuses another browser's.
 *
 * @example const login = await resumeLogin(parts, request, form.get("login"), Date.now());
 */
export async function resumeLogin(
  { engine, addresses }: LoginParts,
  request: HttpRequest,
  ticket: string | null,
  now: number,
): Promise<Login> {
  const login = await engine.store.write((tx) => takeTicket<Login>(tx, PURPOSE, ticket ?? "", now));
  return ofThisBrowser(login, request, addresses());
}

/** As resumeLogin, within a transaction: when that fails, the ticket is still good. */
export async function takeLogin(
  { addresses }: LoginParts,
  tx: Transaction,
  request: HttpRequest,
  ticket: string,
  now: number,
): Promise<Login> {
  return ofThisBrowser(await takeTicket<Login>(tx, PURPOSE, ticket, now), request, addresses());
}

/** As resumeLogin, and leaves the login where it is. */
export async function peekAtLogin(
  { engine, addresses }: LoginParts,
  request: HttpRequest,
  ticket: string,
  now: number,
): Promise<Login> {
  const login = await readTicket<Login>(engine.store.reader, PURPOSE, ticket, now);
  return ofThisBrowser(login, request, addresses());
}

/**
 * The origin at which a login must go on, where that is not the auth URL's. Looks at nothing else, so
 * any browser may ask.
 *
 * @example const site = await siteOf(parts, state, Date.now());
 */
export async function siteOf(
  { engine }: LoginParts,
  ticket: string,
  now: number,
): Promise<string | undefined> {
  return (await readTicket<Login>(engine.store.reader, PURPOSE, ticket, now))?.site;
}

function ofThisBrowser(
  login: Login | undefined,
  request: HttpRequest,
  { authUrl }: Addresses,
): Login {
  const cookie = browserOf(request, authUrl);
  if (login === undefined || cookie === undefined || browserDigest(cookie) !== login.browser) {
    throw new WharfError(
      "PERMISSION_DENIED",
      "this login has ended, was used before, or began in another browser",
    );
  }
  return login;
}

/**
 * Refuses audiences that are not ours before anyone logs in for them: the API is meant when none
 * is named.
 *
 * @example checkAudiences(parts, request.audiences);
 */
export function checkAudiences(
  { engine, addresses }: LoginParts,
  audiences: readonly string[],
): void {
  if (audiences.length > 0) readAudiences(audiences, engine.settings, addresses());
}

/**
 * A request of a browser as a call: what it does is noted as a registration.
 *
 * @example const change = new Change(callOf(request), tx, engine, identity);
 */
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
