import { hash, randomBytes } from "node:crypto";
import type { OutgoingHttpHeaders } from "node:http";
import type { HttpRequest, HttpResponse } from "../wire/endpoint.ts";
import { readParameters } from "../wire/parameters.ts";
import { pageHeaders } from "./pages/layout.ts";

/**
 * What ties a login to the browser that began it: a cookie with a random value. Without it, whoever
 * knows a link into the middle of a login could finish it in their own browser, or have someone
 * else finish theirs.
 */

const COOKIE = "wharf_login";

/** Whether a cookie comes along when another site sends the browser here. */
type SameSite = "Lax" | "Strict";

/** 256 bits: nobody guesses it. */
export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** The browser's cookie, if it has one. */
export function browserOf(request: HttpRequest, authUrl: string): string | undefined {
  return cookieOf(request, COOKIE, authUrl);
}

/** What a cookie holds, if the browser has sent it. */
export function cookieOf(request: HttpRequest, name: string, authUrl: string): string | undefined {
  const wanted = `${prefixed(name, authUrl)}=`;
  const pairs = (request.headers.cookie ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(wanted))?.slice(wanted.length);
}

/**
 * The browser's cookie, a new one if it has none, and the header that then gives it to the browser.
 */
export function markBrowser(
  request: HttpRequest,
  authUrl: string,
): { cookie: string; headers: Record<string, string> } {
  const known = browserOf(request, authUrl);
  if (known !== undefined) return { cookie: known, headers: {} };
  const cookie = newSecret();
  return { cookie, headers: { "set-cookie": browserCookie(cookie, authUrl) } };
}

/** What is kept of the cookie. */
export function browserDigest(cookie: string): string {
  return hash("sha256", cookie, "hex");
}

/**
 * The header that gives a browser its cookie. Lax, because the provider sends the browser back from
 * another site.
 */
function browserCookie(value: string, authUrl: string): string {
  return setCookie(COOKIE, value, "Lax", authUrl);
}

/** The header that sets a cookie until the browser is closed. An empty value takes it away. */
export function setCookie(
  name: string,
  value: string,
  sameSite: SameSite,
  authUrl: string,
): string {
  const secure = authUrl.startsWith("https:") ? "; Secure" : "";
  const ends = value === "" ? "; Max-Age=0" : "";
  return `${prefixed(name, authUrl)}=${value}; Path=/; HttpOnly; SameSite=${sameSite}${secure}${ends}`;
}

/** The prefix makes browsers refuse the cookie from anywhere but this very host, over TLS. */
function prefixed(name: string, authUrl: string): string {
  return authUrl.startsWith("https:") ? `__Host-${name}` : name;
}

export function htmlAnswer(
  status: number,
  body: string,
  headers: OutgoingHttpHeaders = {},
): HttpResponse {
  return { status, headers: { ...pageHeaders(), ...headers }, body };
}

/** Sends the browser on with a GET. */
export function redirectTo(url: string, headers: Record<string, string> = {}): HttpResponse {
  return {
    status: 303,
    headers: { location: url, "referrer-policy": "no-referrer", ...headers },
    body: "",
  };
}

/** A form holds a ticket and a few short texts; a passkey's answer is some kilobytes. */
const MOST_BYTES = 64 * 1024;

export async function readForm(request: HttpRequest): Promise<URLSearchParams> {
  return readParameters(await request.body(MOST_BYTES));
}
