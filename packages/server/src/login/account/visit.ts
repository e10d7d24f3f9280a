import { audit } from "../../engine/audit.ts";
import { unauthenticated, WharfError } from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import type { Transaction } from "../../store/db/group-commit.ts";
import { holdTicket, putTicket, readTicket, takeTicket } from "../../store/tables/tickets.ts";
import type { HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import { cookieOf, htmlAnswer, newSecret, setCookie } from "../browser.ts";
import type { LoginDeps } from "../login.ts";
import { continuePage } from "../pages/messages.ts";
import { nameOf, type Person } from "../people/person.ts";
import { mayStillSignIn } from "../people/sessions.ts";

/**
 * A visit of people to their own account. It begins with a sign-in and is over soon, so whoever is here has shown
 * who they are a moment ago. No other site can send the cookie along, and each form has a secret besides.
 */
export interface Visit {
  readonly identity: string;
  /** The uid of the identity provider that they came through; empty for local accounts. */
  readonly provider: string;
  /** What they recognise themselves by. */
  readonly name: string;
  /** What every form of the visit holds. */
  readonly form: string;
  readonly expires: number;
}

/** A visit, and the secret in the cookie that it is found by. */
export interface OpenVisit extends Visit {
  readonly secret: string;
}

export const ACCOUNT_PATH = "/account";

const COOKIE = "wharf_account";
const PURPOSE = "account visit";

/** Time enough to tidy up, and too little to be found open by someone else. */
const VISIT_MS = 15 * 60_000;

/** Ends a login on the page of the person's own account. */
export async function enterAccount(
  { engine, addresses }: LoginDeps,
  call: Call,
  person: Person,
): Promise<HttpResponse> {
  const { identity, provider, act } = person;
  const secret = newSecret();
  const expires = call.time + VISIT_MS;
  const payload: Visit = { identity, provider, name: nameOf(person), form: newSecret(), expires };
  await engine.store.write(async (tx) => {
    // They may have been deleted between their login and its end.
    if (!(await engine.catalog.identities.table.keep(tx, identity)))
      throw unauthenticated("your account no longer exists");
    await putTicket(tx, { purpose: PURPOSE, secret, payload, expires, identity, provider });
    const detail = { provider, issuer: act.iss, subject: act.sub };
    await audit(tx, call, {
      action: "account visited",
      resource: identity,
      actor: identity,
      detail,
    });
  });
  const words = { title: "You are signed in", text: "Redirecting to your account." };
  const body = continuePage({ ...words, url: ACCOUNT_PATH });
  return htmlAnswer(200, body, { "set-cookie": cookie(secret, addresses().authUrl) });
}

/** The visit that a browser is on; undefined when it is over, or never began. */
export async function findVisit(
  deps: LoginDeps,
  http: HttpRequest,
  now: number,
): Promise<OpenVisit | undefined> {
  const { engine, addresses } = deps;
  const { reader } = engine.store;
  const secret = cookieOf(http, COOKIE, addresses().authUrl);
  if (secret === undefined) return undefined;
  const visit = await readTicket<Visit>(reader, PURPOSE, secret, now);
  if (visit === undefined) return undefined;
  const { identity, provider } = visit;
  if (provider === "" && !deps.settings.localAccounts) return undefined;
  const known = (await engine.catalog.identities.find(reader, identity)) !== undefined;
  return known && (await mayStillSignIn(reader, provider, identity))
    ? { ...visit, secret }
    : undefined;
}

/** The visit that a form was sent from. Forms of other visits, and of other sites, are refused. */
export async function visitOf(
  deps: LoginDeps,
  http: HttpRequest,
  form: string | null,
  now: number,
): Promise<OpenVisit> {
  const visit = await findVisit(deps, http, now);
  if (visit === undefined || visit.form !== form) throw visitIsOver();
  return visit;
}

/**
 * Makes sure that a visit is not over by the time that something is changed: a reset may have ended it.
 */
export async function confirmVisit(
  tx: Transaction,
  { secret }: OpenVisit,
  now: number,
): Promise<void> {
  if ((await holdTicket<Visit>(tx, PURPOSE, secret, now)) === undefined) throw visitIsOver();
}

/** Lets a visit go on after everything else of the person was ended. */
export async function goOn(tx: Transaction, { secret, ...payload }: OpenVisit): Promise<void> {
  const { identity, provider, expires } = payload;
  await putTicket(tx, { purpose: PURPOSE, secret, payload, expires, identity, provider });
}

/** Ends a visit; returns the header that takes the cookie away. */
export async function endVisit(
  { engine, addresses }: LoginDeps,
  { secret }: OpenVisit,
  now: number,
): Promise<Record<string, string>> {
  await engine.store.write((tx) => takeTicket(tx, PURPOSE, secret, now));
  return { "set-cookie": cookie("", addresses().authUrl) };
}

function cookie(secret: string, authUrl: string): string {
  return setCookie(COOKIE, secret, "Strict", authUrl);
}

function visitIsOver(): WharfError {
  return new WharfError(
    "PERMISSION_DENIED",
    "your session on this page has expired: open your account and sign in again",
  );
}
