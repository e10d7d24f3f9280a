import { hash } from "node:crypto";
import { unauthenticated, type WharfError } from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import type { Transaction } from "../../store/db/group-commit.ts";
import { endSession, type StoredSession } from "../../store/tables/sessions.ts";
import { holdTicket, rewriteTicket } from "../../store/tables/tickets.ts";
import { callOf, type LoginDeps } from "../login.ts";
import type { Issued, TokensOfSession, Wanted } from "../people/sessions.ts";
import type { CodeTicket } from "./deliver.ts";
import { askForDevice } from "./device.ts";
import { badField, type Grant, OAuthError } from "./token-endpoint.ts";

/** RFC 8628's grant. */
export const DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code";

/** The grants of people: the code at the end of a browser login, a refresh token, a device code. */
export function personGrants(deps: LoginDeps): [string, Grant][] {
  return [
    ["authorization_code", codeGrant(deps)],
    ["refresh_token", refreshGrant(deps)],
    [DEVICE_CODE, deviceGrant(deps)],
  ];
}

function codeGrant(deps: LoginDeps): Grant {
  return async (form, request) => {
    const call = callOf(request);
    const redeemed = await deps.engine.store.write((tx) => redeemCode(deps, tx, call, form));
    if (redeemed === undefined) throw invalidGrant();
    const { session, ticket } = redeemed;
    const { audiences, scopes, refreshable } = ticket.request;
    const wanted = { audiences, scopes, capabilities: [] };
    const access = await deps.sessions.accessToken(session, wanted, call.time);
    const refresh = refreshable ? deps.sessions.refreshToken(session, call.time) : undefined;
    return tokenResponse({ access, refresh }, call.time);
  };
}

/**
 * Opens the session that a code stands for. A code that comes a second time was stolen on one of
 * its two ways, so the session that it opened ends; one with the wrong verifier is spent as well.
 */
async function redeemCode(
  { sessions }: LoginDeps,
  tx: Transaction,
  call: Call,
  form: URLSearchParams,
): Promise<{ session: StoredSession; ticket: CodeTicket } | undefined> {
  const secret = form.get("code") ?? "";
  const ticket = await holdTicket<CodeTicket>(tx, "code", secret, call.time);
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
  if (!fits(ticket, form)) {
    await keep("");
    return undefined;
  }
  const session = await sessions.open(tx, call, ticket.person, ticket.request.scopes);
  await keep(session.id);
  return { session, ticket };
}

function fits({ request: { delivery } }: CodeTicket, form: URLSearchParams): boolean {
  if (delivery.kind !== "code") return false;
  const verifier = form.get("code_verifier") ?? "";
  const sameAddress = URL.parse(form.get("redirect_uri") ?? "")?.href === delivery.redirect;
  return sameAddress && hash("sha256", verifier, "base64url") === delivery.challenge;
}

function invalidGrant(): WharfError {
  return unauthenticated("the code has expired, was already used, or belongs to another client");
}

function refreshGrant({ sessions }: LoginDeps): Grant {
  return async (form, request) => {
    const call = callOf(request);
    const token = form.get("refresh_token");
    if (!token) throw badField("refresh_token", "is required");
    return tokenResponse(await sessions.refresh(call, token, wantedOf(form)), call.time);
  };
}

function deviceGrant({ engine, sessions, addresses }: LoginDeps): Grant {
  return async (form, request) => {
    const call = callOf(request);
    const code = form.get("device_code") ?? "";
    const found = await engine.store.write(async (tx) => {
      const answer = await askForDevice(tx, code, call.time);
      if ("error" in answer) return answer;
      const { device, person } = answer;
      return { device, session: await sessions.open(tx, call, person) };
    });
    if ("error" in found) throw new OAuthError(found.error, WORDS[found.error]);
    const { audiences, scopes } = found.device;
    const wanted = { audiences, scopes, capabilities: [] };
    const access = await sessions.accessToken(found.session, wanted, call.time);
    const refresh = sessions.refreshToken(found.session, call.time);
    // Existing tools exchange this one, as they would one of any provider.
    const ours = { ...wanted, audiences: [addresses().authUrl] };
    const { token } = await sessions.accessToken(found.session, ours, call.time);
    return { ...tokenResponse({ access, refresh }, call.time), id_token: token };
  };
}

const WORDS = {
  authorization_pending: "the user has not decided yet",
  slow_down: "polling too often: wait five more seconds between requests",
  access_denied: "the user denied the request",
  expired_token: "the device code has expired or is unknown",
} as const;

function wantedOf(form: URLSearchParams): Wanted {
  return {
    audiences: [...form.getAll("audience"), ...form.getAll("resource")],
    scopes: form.getAll("scopes"),
    capabilities: (form.get("scope") ?? "").split(" ").filter(Boolean),
  };
}

function tokenResponse({ access, refresh }: TokensOfSession, now: number): object {
  return {
    access_token: access.token,
    token_type: "Bearer",
    expires_in: secondsLeft(access, now),
    ...(refresh ? { refresh_token: refresh.token } : {}),
  };
}

function secondsLeft({ expires }: Issued, now: number): number {
  return Math.max(0, Math.floor((expires - now) / 1000));
}
