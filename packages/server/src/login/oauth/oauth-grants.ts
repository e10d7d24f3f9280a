import { hash } from "node:crypto";
import { unauthenticated, type WharfError } from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import { endSession, type StoredSession } from "../../store/tables/login/sessions.ts";
import { lockTicket, rewriteTicket } from "../../store/tables/login/tickets.ts";
import { BrowserCall } from "../endpoint-call.ts";
import type { LoginDeps } from "../login.ts";
import type { IssuedToken, SessionTokens, TokenRequest } from "../people/sessions.ts";
import { pollDevice } from "./device.ts";
import type { CodeTicket } from "./finish-login.ts";
import { OPENID_SCOPES } from "./request.ts";
import { invalidParameter, OAuthError, type OAuthGrant } from "./token-endpoint.ts";

/** The grant type of RFC 8628. */
export const DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code";

/** The OAuth grants of people: authorization code, refresh token and device code. */
export function personOAuthGrants(deps: LoginDeps): [string, OAuthGrant][] {
  return [
    ["authorization_code", codeGrant(deps)],
    ["refresh_token", refreshGrant(deps)],
    [DEVICE_CODE, deviceGrant(deps)],
  ];
}

function codeGrant(deps: LoginDeps): OAuthGrant {
  return async (form, request) => {
    const call = new BrowserCall(request);
    const redeemed = await deps.store.writeFor(call, (tx) => redeemCode(deps, tx, call, form));
    if (redeemed === undefined) throw invalidGrant();
    const { session, ticket } = redeemed;
    const { audiences, refreshable, delivery } = ticket.request;
    const tokenRequest = { audiences, scopes: [], capabilities: [] };
    const access = await deps.sessions.firstToken(call, session, tokenRequest);
    const refresh = refreshable ? deps.sessions.refreshToken(session, call.time) : undefined;
    const idRequest = delivery.kind === "code" ? delivery.idToken : undefined;
    const id = idRequest && (await deps.sessions.idToken(call, session, idRequest));
    return { ...tokenResponse({ access, refresh }, call.time), ...(id && { id_token: id }) };
  };
}

/**
 * Redeems a code for a session. A second use means that the code was stolen, so it ends the
 * session. A wrong verifier invalidates the code.
 */
async function redeemCode(
  { sessions }: LoginDeps,
  tx: Transaction,
  call: Call,
  form: URLSearchParams,
): Promise<{ session: StoredSession; ticket: CodeTicket } | undefined> {
  const secret = form.get("code") ?? "";
  const ticket = await lockTicket<CodeTicket>(tx, "code", secret, call.time);
  if (ticket === undefined) return undefined;
  const keep = (session: string) => {
    const payload: CodeTicket = { ...ticket, session };
    const { identity, provider } = ticket.person;
    return rewriteTicket(tx, { purpose: "code", secret, payload, identity, provider });
  };
  if (ticket.session !== undefined) {
    await endSession(tx, ticket.session);
    return undefined;
  }
  if (!matchesCode(ticket, form)) {
    await keep("");
    return undefined;
  }
  const session = await sessions.open(tx, call, ticket.person, ticket.request);
  await keep(session.id);
  return { session, ticket };
}

function matchesCode({ request: { delivery } }: CodeTicket, form: URLSearchParams): boolean {
  if (delivery.kind !== "code") return false;
  const verifier = form.get("code_verifier") ?? "";
  const sameAddress = URL.parse(form.get("redirect_uri") ?? "")?.href === delivery.redirect;
  if (!sameAddress || !isSameClient(delivery.clientId, form)) return false;
  return hash("sha256", verifier, "base64url") === delivery.challenge;
}

/** Whether a token request comes from the client that a code is for, if both name one. */
function isSameClient(clientId = "", form: URLSearchParams): boolean {
  const sender = form.get("client_id") ?? "";
  return clientId === "" || sender === "" || sender === clientId;
}

function invalidGrant(): WharfError {
  return unauthenticated("the code has expired, was already used, or belongs to another client");
}

function refreshGrant({ sessions }: LoginDeps): OAuthGrant {
  return async (form, request) => {
    const call = new BrowserCall(request);
    const token = form.get("refresh_token");
    if (!token) throw invalidParameter("refresh_token", "is required");
    return tokenResponse(await sessions.refresh(call, token, tokenRequestOf(form)), call.time);
  };
}

function deviceGrant({ store, sessions }: LoginDeps): OAuthGrant {
  return async (form, request) => {
    const call = new BrowserCall(request);
    const code = form.get("device_code") ?? "";
    const found = await store.writeFor(call, async (tx) => {
      const answer = await pollDevice(tx, code, form.get("client_id") ?? "", call.time);
      if ("error" in answer) return answer;
      const { device, person } = answer;
      return { device, session: await sessions.open(tx, call, person) };
    });
    if ("error" in found) throw new OAuthError(found.error, DESCRIPTIONS[found.error]);
    const { audiences, scopes, clientId = "" } = found.device;
    const tokenRequest = { audiences, scopes, capabilities: [] };
    const access = await sessions.firstToken(call, found.session, tokenRequest);
    const refresh = sessions.refreshToken(found.session, call.time);
    // Existing clients exchange the ID token, as they would one of any identity provider.
    const id = await sessions.idToken(call, found.session, { clientId });
    return { ...tokenResponse({ access, refresh }, call.time), id_token: id };
  };
}

const DESCRIPTIONS = {
  authorization_pending: "the user has not decided yet",
  slow_down: "polling too often: wait five more seconds between requests",
  access_denied: "the user denied the request",
  expired_token: "the device code has expired or is unknown",
  invalid_grant: "the device code belongs to another client",
} as const;

function tokenRequestOf(form: URLSearchParams): TokenRequest {
  return {
    audiences: [...form.getAll("audience"), ...form.getAll("resource")],
    scopes: form.getAll("scopes"),
    capabilities: (form.get("scope") ?? "").split(" ").filter(isCapabilityScope),
  };
}

/** Clients of OpenID Connect repeat the scopes of the sign-in, which restrict nothing. */
function isCapabilityScope(scope: string): boolean {
  return scope !== "" && !OPENID_SCOPES.includes(scope);
}

function tokenResponse({ access, refresh }: SessionTokens, now: number): object {
  return {
    access_token: access.token,
    token_type: "Bearer",
    expires_in: secondsLeft(access, now),
    ...(refresh ? { refresh_token: refresh.token } : {}),
  };
}

function secondsLeft({ expires }: IssuedToken, now: number): number {
  return Math.max(0, Math.floor((expires - now) / 1000));
}
