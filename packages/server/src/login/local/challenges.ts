import { hash } from "node:crypto";
import { WharfError } from "../../lib/errors.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import { addTicket } from "../../store/tables/login/tickets.ts";
import type { HttpRequest } from "../../wire/endpoint.ts";
import { browserCookieOf, browserDigest } from "../browser.ts";
import type { LoginDeps } from "../login.ts";

/** A WebAuthn challenge, bound to a purpose, a browser and a form. */
interface Challenge<P> {
  readonly challenge: string;
  readonly browser: string;
  /** The digest of the form's ticket or code. */
  readonly form: string;
  readonly payload: P;
}

export type ChallengePurpose = "sign in" | "account" | "setup" | "reset" | "own account";

/** As long as browsers wait for the user. */
const CHALLENGE_TTL_MS = 5 * 60_000;

/** The context that a challenge is bound to. */
export interface ChallengeContext {
  readonly purpose: ChallengePurpose;
  readonly http: HttpRequest;
  /** The ticket or code in the form. */
  readonly form: string;
}

/**
 * Seals a challenge into a ticket that the browser sends back with the response. Nothing is stored,
 * because anyone may request challenges. The form is redeemed together with its challenge, so no
 * response counts twice.
 */
export function sealChallenge(
  deps: LoginDeps,
  { purpose, http, form }: ChallengeContext,
  challenge: string,
  payload: object,
): string {
  const content: Challenge<object> = {
    challenge,
    browser: digestOfBrowser(deps, http),
    form: digestOf(form),
    payload,
  };
  return deps.sealed.seal(ticketFor(purpose), content, Date.now() + CHALLENGE_TTL_MS);
}

/** Opens a challenge, once. Rejects challenges of another browser, form or purpose. */
export function openChallenge<P>(
  deps: LoginDeps,
  { purpose, http, form }: ChallengeContext,
  challengeId: string,
): { challenge: string; payload: P } {
  const opened = deps.sealed.open<Challenge<P>>(ticketFor(purpose), challengeId, Date.now());
  // Use by another browser invalidates it, too: one of the two is an attacker.
  const found = opened && deps.sealed.useOnce(challengeId) ? opened.payload : undefined;
  const same = found?.browser === digestOfBrowser(deps, http) && found.form === digestOf(form);
  if (found === undefined || !same) throw challengeExpired();
  return found;
}

/** Redeems a challenge whose form stays valid: a second response is rejected. */
export async function redeemChallenge(
  tx: Transaction,
  challengeId: string,
  now: number,
): Promise<void> {
  const mark = { purpose: "redeemed challenge", secret: challengeId, payload: {}, identity: "" };
  if (!(await addTicket(tx, { ...mark, expires: now + CHALLENGE_TTL_MS })))
    throw challengeExpired();
}

function challengeExpired(): WharfError {
  const text =
    "this passkey request has expired, was already used, or was started in another browser";
  return new WharfError("PERMISSION_DENIED", text);
}

function ticketFor(purpose: ChallengePurpose): string {
  return `passkey: ${purpose}`;
}

function digestOfBrowser({ addresses }: LoginDeps, http: HttpRequest): string {
  const cookie = browserCookieOf(http, addresses().authUrl);
  if (cookie !== undefined) return browserDigest(cookie);
  throw new WharfError("PERMISSION_DENIED", "the browser must accept cookies of this site");
}

function digestOf(text: string): string {
  return hash("sha256", text, "hex");
}
