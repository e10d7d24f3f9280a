import { isUid } from "@wharf/contract";
import { keyIdOf } from "../../iam/invite-code.ts";
import { invalidArgument } from "../../lib/errors.ts";
import { isLoopbackHost } from "../../lib/net/loopback.ts";
import type { IdTokenRequest } from "../people/id-token.ts";
import { checkHeadlessCode } from "./headless.ts";

/** The delivery method of the result of a login. */
export type Delivery =
  /** An authorization code with PKCE to a loopback address: no tokens in URLs. */
  | {
      readonly kind: "code";
      readonly redirect: string;
      readonly challenge: string;
      readonly state: string;
      readonly clientId?: string;
      /** The ID token that the client asks for with the scope `openid`. */
      readonly idToken?: IdTokenRequest;
    }
  /** The token itself to a loopback address, for existing clients. */
  | { readonly kind: "redirect"; readonly redirect: string }
  /** Encrypted for a tool on another machine, which fetches it with its public key. */
  | { readonly kind: "headless"; readonly code: string }
  /** To the pending device with this user code. */
  | { readonly kind: "device"; readonly userCode: string }
  /** A session of the console, which opens at this path. */
  | {
      readonly kind: "console";
      readonly url: string;
      /** The session that it replaces, whose person must sign in again; empty for none. */
      readonly renews: string;
    }
  /** None: shows what the identity provider says about the person, and signs nobody in. */
  | { readonly kind: "test" }
  /** None: the login only accepts an invite. */
  | { readonly kind: "none" };

/** The request that starts a login. */
export interface LoginRequest {
  readonly delivery: Delivery;
  /**
   * The uid of an identity provider, or the name of a verified organization; empty to let the user
   * choose.
   */
  readonly provider: string;
  /** The key id of an invite to accept. */
  readonly invite: string;
  readonly audiences: readonly string[];
  /** Groups, by uid or name. */
  readonly scopes: readonly string[];
  /** The uid of the identity to assume; empty for the person's own. */
  readonly identity: string;
  readonly refreshable: boolean;
  /** Whether unregistered people are rejected. */
  readonly knownOnly: boolean;
}

/** The request of a login that starts at a page of this server: without parameters of a client. */
export function pageLoginRequest(
  delivery: Delivery,
  { refreshable = false }: Partial<LoginRequest> = {},
): LoginRequest {
  const none = { provider: "", invite: "", audiences: [], scopes: [], identity: "" };
  return { ...none, delivery, refreshable, knownOnly: false };
}

/** Parses the query of the request that starts a login. */
export function parseLoginRequest(query: URLSearchParams): LoginRequest {
  const delivery = readDelivery(query);
  const invite = query.get("invite") ?? "";
  const request = {
    delivery,
    provider: query.get("idp_id") ?? "",
    invite: invite === "" ? "" : keyIdOf(invite),
    audiences: (query.get("audience") ?? "").split(",").filter(Boolean),
    scopes: readScopes(query),
    identity: readIdentity(query, delivery),
    refreshable: delivery.kind !== "redirect" || query.get("create_refresh_token") === "true",
    knownOnly: query.get("skip_registration") === "true",
  };
  if (Buffer.byteLength(JSON.stringify(request)) <= MAX_REQUEST_BYTES) return request;
  throw invalidArgument({
    field: "",
    description: `the parameters of a sign-in must have at most ${MAX_REQUEST_BYTES} bytes`,
  });
}

/**
 * The request is part of the `state` of the identity provider, so it must fit into the callback
 * URL.
 */
const MAX_REQUEST_BYTES = 4_096;

/** Standard OpenID scopes: Wharf uses groups as scopes, and these restrict nothing. */
export const OPENID_SCOPES = ["openid", "email", "profile", "offline_access"];

/** Names of groups. */
const GROUP_NAME = /^[a-z0-9 ._-]{1,255}$/;

function scopeWords(query: URLSearchParams): string[] {
  return query.getAll("scope").flatMap((text) => text.split(" ").flatMap(readScope));
}

function readScopes(query: URLSearchParams): string[] {
  const words = scopeWords(query);
  const scopes = words.filter((word) => word !== "" && !OPENID_SCOPES.includes(word));
  if (scopes.every((scope) => isUid(scope) || GROUP_NAME.test(scope))) return scopes;
  throw invalidParameter("scope", "must be uids or names of groups");
}

/** Existing clients encode scopes twice, so that names can have spaces; others encode a list of uids twice. */
function readScope(word: string): string[] {
  const text = unescapeTwice(word.replaceAll("+", " "));
  const parts = text.split(" ");
  return parts.every((part) => isUid(part) || OPENID_SCOPES.includes(part)) ? parts : [text];
}

function readIdentity(query: URLSearchParams, delivery: Delivery): string {
  const identity = query.get("identity") ?? "";
  if (identity === "") return identity;
  if (!isUid(identity)) throw invalidParameter("identity", "must be the uid of an identity");
  if (delivery.kind !== "none") return identity;
  throw invalidParameter("identity", "needs an address that the token is returned to");
}

function readDelivery(query: URLSearchParams): Delivery {
  const headless = query.get("headless_code");
  if (headless !== null) return { kind: "headless", code: readHeadlessCode(headless) };
  if (query.get("response_type") === "code") return readCodeDelivery(query);
  const redirect = query.get("redirect");
  if (redirect !== null) return { kind: "redirect", redirect: loopback("redirect", redirect) };
  return { kind: "none" };
}

function readCodeDelivery(query: URLSearchParams): Delivery {
  const challenge = query.get("code_challenge") ?? "";
  if (query.get("code_challenge_method") !== "S256" || !/^[A-Za-z0-9_-]{43}$/.test(challenge)) {
    throw invalidParameter("code_challenge", "must be an S256 challenge");
  }
  const redirect = loopback("redirect_uri", query.get("redirect_uri") ?? "");
  const clientId = query.get("client_id") ?? "";
  const code = { kind: "code", redirect, challenge, state: query.get("state") ?? "" } as const;
  if (!scopeWords(query).includes("openid")) return { ...code, clientId };
  if (clientId === "") throw invalidParameter("client_id", "is required with the scope openid");
  return { ...code, clientId, idToken: { clientId, nonce: query.get("nonce") ?? "" } };
}

/** Redirects only to loopback addresses, because clients are not registered. */
function loopback(field: string, text: string): string {
  const url = URL.parse(text);
  const sound =
    url !== null &&
    url.protocol === "http:" &&
    isLoopbackHost(url.hostname) &&
    url.username === "" &&
    url.password === "" &&
    url.hash === "";
  if (!sound)
    throw invalidParameter(
      field,
      "must be an http URL with a loopback address, such as http://127.0.0.1:1234/",
    );
  return url.href;
}

/** An X25519 public key of 32 bytes that is not of low order. */
function readHeadlessCode(code: string): string {
  if (!/^[A-Za-z0-9_-]{43}$/.test(code)) {
    throw invalidParameter("headless_code", "must be an X25519 public key as base64url");
  }
  checkHeadlessCode(code);
  return code;
}

function unescapeTwice(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function invalidParameter(field: string, description: string): Error {
  return invalidArgument({ field, description: `${field} ${description}` });
}
