import { audit } from "../../engine/audit/audit.ts";
import { unauthenticated, WharfError } from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import {
  addTicket,
  consumeTicket,
  lockTicket,
  readTicket,
} from "../../store/tables/login/tickets.ts";
import type { HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import { cookieOf, htmlResponse, newSecret, setCookie } from "../browser.ts";
import type { LoginDeps } from "../login.ts";
import { continuePage } from "../pages/messages.ts";
import { displayNameOf, type Person } from "../people/person.ts";
import { mayStillSignIn } from "../people/renew-session.ts";

/**
 * A visit is a short browser session for the account page. It starts with a sign-in
 * and expires soon, so the person has authenticated recently. The cookie is SameSite=Strict, and
 * each form contains another secret (CSRF).
 */
export interface Visit {
  readonly identity: string;
  /** The uid of the identity provider; empty for local accounts. */
  readonly provider: string;
  /** The display name. */
  readonly name: string;
  /** The secret in every form of the visit. */
  readonly form: string;
  readonly expires: number;
}

/** A visit with the secret of its cookie. */
export interface OpenVisit extends Visit {
  readonly secret: string;
}

export const ACCOUNT_PATH = "/account";

const COOKIE = "wharf_account";
const PURPOSE = "account visit";

/** Long enough to manage an account, short enough for an unattended browser. */
const VISIT_TTL_MS = 15 * 60_000;

/** Finishes a login on the account page. */
export async function startVisit(
  { catalog, store, addresses }: LoginDeps,
  call: Call,
  person: Person,
): Promise<HttpResponse> {
  const { identity, provider, act } = person;
  const secret = newSecret();
  const expires = call.time + VISIT_TTL_MS;
  const payload: Visit = {
    identity,
    provider,
    name: displayNameOf(person),
    form: newSecret(),
    expires,
  };
  await store.write(async (tx) => {
    // The identity may have been deleted since the sign-in.
    if (!(await catalog.identities.table.keep(tx, identity)))
      throw unauthenticated("your account no longer exists");
    await addTicket(tx, { purpose: PURPOSE, secret, payload, expires, identity, provider });
    const detail = { provider, issuer: act.iss, subject: act.sub };
    await audit(tx, call, {
      action: "account visited",
      resource: identity,
      actor: identity,
      detail,
    });
  });
  const message = { title: "You are signed in", text: "Redirecting to your account." };
  const body = continuePage({ ...message, url: ACCOUNT_PATH });
  return htmlResponse(200, body, { "set-cookie": cookie(secret, addresses().authUrl) });
}

/** The visit of a browser; undefined if it has expired or does not exist. */
export async function findVisit(
  deps: LoginDeps,
  http: HttpRequest,
  now: number,
): Promise<OpenVisit | undefined> {
  const { catalog, store, addresses } = deps;
  const { reader } = store;
  const secret = cookieOf(http, COOKIE, addresses().authUrl);
  if (secret === undefined) return undefined;
  const visit = await readTicket<Visit>(reader, PURPOSE, secret, now);
  if (visit === undefined) return undefined;
  const { identity, provider } = visit;
  if (provider === "" && !deps.settings.localAccounts) return undefined;
  const known = (await catalog.identities.find(reader, identity)) !== undefined;
  return known && (await mayStillSignIn(reader, provider, identity))
    ? { ...visit, secret }
    : undefined;
}

/** The visit that a form belongs to. Rejects forms of other visits and of other sites. */
export async function requireVisit(
  deps: LoginDeps,
  http: HttpRequest,
  form: string | null,
  now: number,
): Promise<OpenVisit> {
  const visit = await findVisit(deps, http, now);
  if (visit === undefined || visit.form !== form) throw visitExpired();
  return visit;
}

/** Checks within a transaction that the visit still exists: a reset may have ended it. */
export async function confirmVisit(
  tx: Transaction,
  { secret }: OpenVisit,
  now: number,
): Promise<void> {
  if ((await lockTicket<Visit>(tx, PURPOSE, secret, now)) === undefined) throw visitExpired();
}

/** Restores a visit after all tickets of the person were deleted. */
export async function restoreVisit(
  tx: Transaction,
  { secret, ...payload }: OpenVisit,
): Promise<void> {
  const { identity, provider, expires } = payload;
  await addTicket(tx, { purpose: PURPOSE, secret, payload, expires, identity, provider });
}

/** Ends a visit; returns the header that deletes the cookie. */
export async function endVisit(
  { store, addresses }: LoginDeps,
  { secret }: OpenVisit,
  now: number,
): Promise<Record<string, string>> {
  await store.write((tx) => consumeTicket(tx, PURPOSE, secret, now));
  return { "set-cookie": cookie("", addresses().authUrl) };
}

function cookie(secret: string, authUrl: string): string {
  return setCookie(COOKIE, secret, "Strict", authUrl);
}

function visitExpired(): WharfError {
  return new WharfError(
    "PERMISSION_DENIED",
    "your session on this page has expired: open your account and sign in again",
  );
}
