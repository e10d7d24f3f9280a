import { hash } from "node:crypto";
import { WharfError } from "../../lib/errors.ts";
import type { Transaction } from "../../store/db/group-commit.ts";
import { putTicket } from "../../store/tables/tickets.ts";
import type { HttpRequest } from "../../wire/endpoint.ts";
import { browserDigest, browserOf } from "../browser.ts";
import type { LoginDeps } from "../login.ts";
import { type PasskeySite, passkeySite } from "./passkey-site.ts";

/** What a passkey must answer: for one purpose, in the browser and the form that asked. */
interface Challenge<P> {
  readonly challenge: string;
  readonly browser: string;
  /** The digest of what the form is tied to: a login's ticket, or a code. */
  readonly form: string;
  readonly payload: P;
}

/** What passkeys are asked for. */
export type ChallengePurpose = "sign in" | "account" | "setup" | "reset" | "visit";

/** As long as the browser waits for its person. */
const CHALLENGE_MS = 5 * 60_000;

/** Where a challenge is asked from, and answered. */
export interface Asking {
  readonly purpose: ChallengePurpose;
  readonly http: HttpRequest;
  /** The login's ticket or the code that the form holds. */
  readonly form: string;
}

/**
 * The ticket of a challenge, for the browser to send back with the answer. Nothing is stored: anyone
 * may ask to be asked. The form that the challenge is tied to is redeemed with it, so that no answer
 * counts twice.
 */
export function sealChallenge(
  deps: LoginDeps,
  { purpose, http, form }: Asking,
  challenge: string,
  payload: object,
): string {
  const content: Challenge<object> = {
    challenge,
    browser: digestOfBrowser(deps, http),
    form: digestOf(form),
    payload,
  };
  return deps.sealed.seal(ticketFor(purpose), content, Date.now() + CHALLENGE_MS);
}

/**
 * The challenge that a browser was asked with: an answer is looked at once. Rejects those of another
 * browser, form or purpose.
 */
export function openChallenge<P>(
  deps: LoginDeps,
  { purpose, http, form }: Asking,
  challengeId: string,
): { challenge: string; payload: P } {
  const opened = deps.sealed.open<Challenge<P>>(ticketFor(purpose), challengeId, Date.now());
  // Another browser spends it, too: one of the two is not the person's.
  const found = opened && deps.sealed.useOnce(challengeId) ? opened.payload : undefined;
  const same = found?.browser === digestOfBrowser(deps, http) && found.form === digestOf(form);
  if (found === undefined || !same) throw notAnswerable();
  return found;
}

/** Records that a challenge was answered, where its form lives on: a second answer is rejected. */
export async function redeemChallenge(
  tx: Transaction,
  challengeId: string,
  now: number,
): Promise<void> {
  const mark = { purpose: "redeemed challenge", secret: challengeId, payload: {}, identity: "" };
  if (!(await putTicket(tx, { ...mark, expires: now + CHALLENGE_MS }))) throw notAnswerable();
}

function notAnswerable(): WharfError {
  const text =
    "this passkey request has expired, was already used, or was started in another browser";
  return new WharfError("PERMISSION_DENIED", text);
}

/** The site of passkeys; refuses where there is none. */
export function siteOf({ addresses }: LoginDeps): PasskeySite {
  const site = passkeySite(addresses().authUrl);
  if (site !== undefined) return site;
  throw new WharfError(
    "FAILED_PRECONDITION",
    "passkeys require a host name, but this server is reached by an IP address",
  );
}

function ticketFor(purpose: ChallengePurpose): string {
  return `passkey: ${purpose}`;
}

function digestOfBrowser({ addresses }: LoginDeps, http: HttpRequest): string {
  const cookie = browserOf(http, addresses().authUrl);
  if (cookie !== undefined) return browserDigest(cookie);
  throw new WharfError("PERMISSION_DENIED", "the browser must accept cookies of this site");
}

function digestOf(text: string): string {
  return hash("sha256", text, "hex");
}
