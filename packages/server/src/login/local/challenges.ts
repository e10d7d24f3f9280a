import { hash } from "node:crypto";
import { WharfError } from "../../errors.ts";
import { putTicket, takeTicket } from "../../store/tickets.ts";
import type { HttpRequest } from "../../wire/endpoint.ts";
import { browserDigest, browserOf, newSecret } from "../browser.ts";
import type { LoginParts } from "../login.ts";
import { type PasskeySite, passkeySite } from "./passkey-site.ts";

/** What a passkey must answer: once, for one thing, in the browser and the form that asked. */
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
 * Keeps a challenge until it is answered; returns what it is found by.
 *
 * @example const challengeId = await keepChallenge(parts, asking, options.challenge, {});
 */
export async function keepChallenge(
  parts: LoginParts,
  { purpose, http, form }: Asking,
  challenge: string,
  payload: object,
): Promise<string> {
  const secret = newSecret();
  const now = Date.now();
  const kept: Challenge<object> = {
    challenge,
    browser: digestOfBrowser(parts, http),
    form: digestOf(form),
    payload,
  };
  const ticket = {
    purpose: ticketFor(purpose),
    secret,
    payload: kept,
    expires: now + CHALLENGE_MS,
  };
  await parts.engine.store.write((tx) => putTicket(tx, ticket, now));
  return secret;
}

/**
 * Takes a challenge, whatever comes of it: an answer is looked at once.
 *
 * @example const { challenge, payload } = await takeChallenge<New>(parts, asking, body.challengeId);
 */
export async function takeChallenge<P>(
  parts: LoginParts,
  { purpose, http, form }: Asking,
  challengeId: string,
): Promise<{ challenge: string; payload: P }> {
  const now = Date.now();
  const found = await parts.engine.store.write((tx) =>
    takeTicket<Challenge<P>>(tx, ticketFor(purpose), challengeId, now),
  );
  const same = found?.browser === digestOfBrowser(parts, http) && found.form === digestOf(form);
  if (found === undefined || !same) {
    const text = "this passkey was asked for elsewhere, too long ago, or was used before";
    throw new WharfError("PERMISSION_DENIED", text);
  }
  return found;
}

/** The site of passkeys; refuses where there is none. */
export function siteOf({ addresses }: LoginParts): PasskeySite {
  const site = passkeySite(addresses().authUrl);
  if (site !== undefined) return site;
  throw new WharfError("FAILED_PRECONDITION", "passkeys need this server to have a name");
}

function ticketFor(purpose: ChallengePurpose): string {
  return `passkey: ${purpose}`;
}

function digestOfBrowser({ addresses }: LoginParts, http: HttpRequest): string {
  const cookie = browserOf(http, addresses().authUrl);
  if (cookie !== undefined) return browserDigest(cookie);
  throw new WharfError("PERMISSION_DENIED", "the browser must accept cookies of this page");
}

function digestOf(text: string): string {
  return hash("sha256", text, "hex");
}
