/**
 * The security token service exchanges tokens that identities trust (RFC 8693) for tokens of this
 * installation: `verify` checks presented credentials, `issuers` fetches the keys of their issuers. It
 * imports auth, engine, iam, rpc, store and lib; login implements its port for identity providers.
 */
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type ExchangeRequest, RawTokenSchema } from "@wharf/contract";
import type { JWTPayload } from "jose";
import type { Grants } from "../auth/grants.ts";
import { issueToken, type TokenContent } from "../auth/token.ts";
import { requireBearer } from "../lib/bearer.ts";
import { WharfError } from "../lib/errors.ts";
import type { Call, Handler, Reply } from "../rpc/call.ts";
import { messageReply } from "../rpc/reply.ts";
import { readAudiences } from "./audiences.ts";
import {
  type AuditedSubject,
  type AuthorizedSubject,
  authorizeSubject,
  type ExchangeDeps,
} from "./authorize-subject.ts";
import { type DownScopeRequest, downScope, scopesOf } from "./down-scope.ts";
import { auditDenial, auditExchange } from "./exchange-audit.ts";
import { parseSignedRequest } from "./verify/aws-request.ts";
import { Checks, invalidClaim } from "./verify/checks.ts";
import { decodeToken } from "./verify/signature.ts";

export interface IssuedToken {
  readonly token: string;
  readonly expires: number;
}

/** Port: exchanges an ID token that an identity provider issued to its own client. */
export type ProviderExchange = (
  call: Call,
  request: ExchangeRequest,
  token: string,
  audited: AuditedSubject,
) => Promise<IssuedToken>;

/** Exchanges the bearer token of the call, which is a token that an identity trusts or one of ours. */
export function exchangeMethod(deps: ExchangeDeps, exchangeOfProvider: ProviderExchange): Handler {
  return async (call, message) => {
    const request = message as ExchangeRequest;
    const { aud: audiences, identity, cap: capabilities } = request;
    const token = requireBearer(call.authorization, "the token to exchange");
    if (request.identityProvider === "") {
      const requested = { audiences, identity, scopes: scopesOf(request), capabilities };
      return rawToken(await exchangeToken(deps, call, token, requested));
    }
    const issued = await audited(deps, call, token, identity, async (subject) => {
      await prepare(deps, token, audiences);
      return exchangeOfProvider(call, request, token, subject);
    });
    return rawToken(issued);
  };
}

/** The token that an exchange is to issue. */
export interface ExchangedTokenRequest extends DownScopeRequest {
  /** The uid of the identity to assume; empty for the one that the token itself identifies. */
  readonly identity: string;
  readonly audiences: readonly string[];
}

/** Exchanges a token for one of this installation. */
export function exchangeToken(
  deps: ExchangeDeps,
  call: Call,
  token: string,
  request: ExchangedTokenRequest,
): Promise<IssuedToken> {
  const { identity } = request;
  return audited(deps, call, token, identity, async (seen) => {
    const audiences = await prepare(deps, token, request.audiences);
    const subjectToken = { token, identity, time: call.time, audiences };
    const subject = await authorizeSubject(deps, subjectToken, Checks.failFast(), seen);
    if (subject === undefined) throw invalidClaim("identity");
    seen.identity = subject.identity.uid;
    const content = {
      subject: subject.identity.uid,
      audiences,
      expires: subject.expires,
      ...(subject.session ? personOf(subject.claims) : { act: actorOf(subject.claims) }),
      session: subject.session,
      boundary: await boundaryOf(deps, subject, request),
    };
    const issued = issueToken(deps.keys, deps.addresses(), content, call.time);
    await auditExchange(deps, call, token, seen, subject.identity);
    return issued;
  });
}

/** Audits a denied exchange. */
async function audited<T>(
  { audit }: ExchangeDeps,
  call: Call,
  token: string,
  identity: string,
  exchange: (seen: AuditedSubject) => Promise<T>,
): Promise<T> {
  const seen: AuditedSubject = { identity };
  try {
    return await exchange(seen);
  } catch (thrown) {
    await auditDenial(audit, call, token, seen, WharfError.from(thrown));
    throw thrown;
  }
}

async function prepare(
  { keys, settings, addresses }: ExchangeDeps,
  token: string,
  audiences: readonly string[],
): Promise<readonly string[]> {
  requireToken(token);
  await keys.reloadIfChanged();
  return readAudiences(audiences, settings, addresses());
}

/** Rejects a text that is neither a JWT nor a signed AWS request, whatever it is presented for. */
function requireToken(token: string): void {
  if (token.includes(".")) decodeToken(token, Checks.failFast());
  else parseSignedRequest(token);
}

function rawToken({ token, expires }: IssuedToken): Reply {
  const expiry = timestampFromMs(expires);
  return messageReply(RawTokenSchema, create(RawTokenSchema, { token, expiry }));
}

/** The boundary of a token for this subject; undefined for all that the identity holds. */
export async function boundaryOf(
  { store }: ExchangeDeps,
  { identity: { granted }, boundary }: AuthorizedSubject,
  scoping: DownScopeRequest,
): Promise<Grants | undefined> {
  const held = boundary === undefined ? granted : granted.intersect(boundary);
  return (await downScope(store.reader, held, scoping)) ?? boundary;
}

function actorOf({ iss, sub, aud }: JWTPayload) {
  return { ...(iss && { iss }), ...(sub && { sub }), ...(aud && { aud }) };
}

/** All tokens of a session name the person, and how and when they signed in. */
function personOf({ act, email, email_verified: verified, auth_time: time }: JWTPayload) {
  return {
    act: act as TokenContent["act"],
    signedIn: typeof time === "number" ? time * 1000 : undefined,
    email: typeof email === "string" ? { address: email, verified: verified === true } : undefined,
  };
}
