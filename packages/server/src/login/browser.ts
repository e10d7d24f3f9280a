import { hash, randomBytes } from "node:crypto";
import type { OutgoingHttpHeaders } from "node:http";
import type { HttpRequest, HttpResponse } from "../wire/endpoint.ts";
import { readParameters } from "../wire/http/parameters.ts";
import { pageHeaders } from "./pages/layout.ts";

/**
 * Binds a login to the browser that started it, with a random cookie. Without it, anyone who knows
 * a link into the middle of a login could finish it in their own browser, or trick someone into
 * finishing theirs.
 */

const COOKIE = "wharf_login";

/** Whether the browser sends the cookie with requests from other sites. */
type SameSite = "Lax" | "Strict";

/** A random secret of 256 bits. */
export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** The cookie that identifies the browser, if it has one. */
export function browserCookieOf(request: HttpRequest, authUrl: string): string | undefined {
  return cookieOf(request, COOKIE, authUrl);
}

/** The value of a cookie, if the browser sent it. */
export function cookieOf(request: HttpRequest, name: string, authUrl: string): string | undefined {
  const prefix = `${prefixed(name, authUrl)}=`;
  const pairs = (request.headers.cookie ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length);
}

/** The cookie that identifies the browser, and the headers that set a new one if needed. */
export function ensureBrowserCookie(
  request: HttpRequest,
  authUrl: string,
): { cookie: string; headers: Record<string, string> } {
  const known = browserCookieOf(request, authUrl);
  if (known !== undefined) return { cookie: known, headers: {} };
  const cookie = newSecret();
  return { cookie, headers: { "set-cookie": browserCookie(cookie, authUrl) } };
}

/** The digest of the cookie, which a login stores. */
export function browserDigest(cookie: string): string {
  return hash("sha256", cookie, "hex");
}

/** Lax, because the identity provider redirects the browser back from another site. */
function browserCookie(value: string, authUrl: string): string {
  return setCookie(COOKIE, value, "Lax", authUrl);
}

/** A Set-Cookie header for a session cookie. An empty value deletes the cookie. */
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

/** With this prefix, browsers accept the cookie only from this host and over TLS. */
function prefixed(name: string, authUrl: string): string {
  return authUrl.startsWith("https:") ? `__Host-${name}` : name;
}

export function htmlResponse(
  status: number,
  body: string,
  headers: OutgoingHttpHeaders = {},
): HttpResponse {
  return { status, headers: { ...pageHeaders(), ...headers }, body };
}

/** A response for a script of a page. */
export function jsonResponse(
  body: object,
  headers: OutgoingHttpHeaders = {},
  status = 200,
): HttpResponse {
  return {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store", ...headers },
    body: JSON.stringify(body),
  };
}

/** Redirects the browser with a GET. */
export function redirectTo(url: string, headers: Record<string, string> = {}): HttpResponse {
  return {
    status: 303,
    headers: { location: url, "referrer-policy": "no-referrer", ...headers },
    body: "",
  };
}

/** A form has a ticket and short texts; the response of a passkey takes a few kilobytes. */
const MAX_BODY_BYTES = 64 * 1024;

export async function readForm(request: HttpRequest): Promise<URLSearchParams> {
  return readParameters(await request.body(MAX_BODY_BYTES));
}
