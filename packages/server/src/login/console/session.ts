import { audit } from "../../engine/audit/audit.ts";
import { unauthenticated, WharfError } from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import { endSession, findSession, touchSession } from "../../store/tables/login/sessions.ts";
import { addTicket, consumeTicket, readTicket } from "../../store/tables/login/tickets.ts";
import type { HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import { cookieOf, htmlResponse, newSecret, setCookie } from "../browser.ts";
import type { LoginDeps } from "../login.ts";
import type { Delivery } from "../oauth/request.ts";
import { continuePage } from "../pages/messages.ts";
import { displayNameOf, type Person } from "../people/person.ts";
import { mayStillSignIn } from "../people/renew-session.ts";

/**
 * The session of the console. Its cookie is HttpOnly and SameSite=Strict, and is good for one thing: short access
 * tokens, which the page keeps in memory. It belongs to a session like those of the CLI, so whatever ends that
 * session ends the console's.
 */
interface ConsoleSession {
  readonly session: string;
  /** The display name of the person. */
  readonly name: string;
}

/** The access token of the page for calls of the API. */
export interface ConsoleToken {
  readonly accessToken: string;
  /** Expiry time, in milliseconds since 1970. */
  readonly expires: number;
  readonly identity: string;
  readonly name: string;
  readonly session: string;
}

type ConsoleDelivery = Extract<Delivery, { readonly kind: "console" }>;

const COOKIE = "wharf_console";
const PURPOSE = "console";

/** Short, because a page cannot keep a secret as well as a cookie jar. */
const TOKEN_LIFETIME_MS = 10 * 60_000;

/** A console that nobody uses for half a day asks to sign in again. */
const IDLE_MS = 12 * 3_600_000;

/** Finishes a login in the console: opens a session and sets its cookie. */
export async function startConsoleSession(
  deps: LoginDeps,
  call: Call,
  person: Person,
  { url, renews }: ConsoleDelivery,
): Promise<HttpResponse> {
  const headers = await deps.store.write(async (tx) => {
    if (renews !== "") await endSession(tx, renews);
    return openConsoleSession(deps, tx, call, person);
  });
  // A page instead of a redirect: after one from an identity provider, browsers withhold strict cookies.
  const body = continuePage({ title: "You are signed in", text: "Opening the console.", url });
  return htmlResponse(200, body, headers);
}

/** Opens a session of the console; returns the header that sets its cookie. */
export async function openConsoleSession(
  { sessions, addresses }: LoginDeps,
  tx: Transaction,
  call: Call,
  person: Person,
): Promise<Record<string, string>> {
  const secret = newSecret();
  const { identity, provider } = person;
  const { id, expires } = await sessions.open(tx, call, person, { isBrowser: true });
  const payload: ConsoleSession = { session: id, name: displayNameOf(person) };
  await addTicket(tx, { purpose: PURPOSE, secret, payload, expires, identity, provider });
  return { "set-cookie": cookie(secret, addresses().authUrl) };
}

/** The id of the browser's session of the console; undefined if it has none that can still issue tokens. */
export async function consoleSessionOf(
  deps: LoginDeps,
  http: HttpRequest,
): Promise<string | undefined> {
  return (await findConsoleSession(deps, http, Date.now()))?.session.id;
}

/** Issues an access token for the page. Throws UNAUTHENTICATED if the session has ended. */
export async function issueConsoleToken(
  deps: LoginDeps,
  http: HttpRequest,
  call: Call,
): Promise<ConsoleToken> {
  const found = await findConsoleSession(deps, http, call.time);
  if (found === undefined) throw unauthenticated("sign in to use the console");
  const { session, name } = found;
  const request = {
    audiences: [],
    scopes: [],
    capabilities: [],
    expires: call.time + TOKEN_LIFETIME_MS,
  };
  const { token, expires } = await deps.sessions.accessToken(call, session, request);
  await deps.store.write((tx) => touchSession(tx, session.id, call.time));
  return {
    accessToken: token,
    expires,
    identity: session.identity,
    name,
    session: session.id,
  };
}

/** Ends the session, so that its tokens are rejected from the next request on; returns the header that deletes the cookie. */
export async function endConsoleSession(
  { store, addresses }: LoginDeps,
  http: HttpRequest,
  call: Call,
): Promise<Record<string, string>> {
  const { authUrl } = addresses();
  const secret = cookieOf(http, COOKIE, authUrl);
  if (secret !== undefined) {
    await store.write(async (tx) => {
      const ended = await consumeTicket<ConsoleSession>(tx, PURPOSE, secret, call.time);
      const session = ended && (await findSession(tx, ended.session));
      if (session === undefined) return;
      await endSession(tx, session.id);
      const { identity } = session;
      const detail = { session: session.id };
      await audit(tx, call, { action: "logout", resource: identity, actor: identity, detail });
    });
  }
  return { "set-cookie": cookie("", authUrl) };
}

/**
 * Rejects requests of other sites. The cookie is not sent with them, either; this also covers other origins of the
 * same site, such as another port of this host.
 */
export function requireSameOrigin({ headers }: HttpRequest): void {
  const site = headers["sec-fetch-site"];
  const origin = URL.parse(headers.origin ?? "");
  const isSame =
    (site === undefined || site === "same-origin") &&
    origin !== null &&
    origin.host === headers.host;
  if (!isSame) {
    throw new WharfError("PERMISSION_DENIED", "requests of other origins are rejected");
  }
}

/** The session of the browser's cookie; undefined if it has none that is still valid. */
export async function findConsoleSession(
  { store, addresses, settings }: LoginDeps,
  http: HttpRequest,
  now: number,
) {
  const { reader } = store;
  const secret = cookieOf(http, COOKIE, addresses().authUrl);
  if (secret === undefined) return undefined;
  const ticket = await readTicket<ConsoleSession>(reader, PURPOSE, secret, now);
  const session = ticket && (await findSession(reader, ticket.session));
  if (session === undefined || session.expires <= now) return undefined;
  if (session.used + IDLE_MS <= now) return undefined;
  if (session.provider === "" && !settings.localAccounts) return undefined;
  const may = await mayStillSignIn(reader, session.provider, session.identity);
  return may ? { session, name: ticket?.name ?? "" } : undefined;
}

function cookie(secret: string, authUrl: string): string {
  return setCookie(COOKIE, secret, "Strict", authUrl);
}
