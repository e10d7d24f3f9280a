import { type ExchangeRequest, literalIdentityUid } from "@wharf/contract";
import type { JWTPayload } from "jose";
import type { Addresses } from "../addresses.ts";
import { hasEnded } from "../auth/authenticator.ts";
import type { Grants } from "../auth/grants.ts";
import type { SigningKeys } from "../auth/keys.ts";
import type { TokenVerifier, VerifiedToken } from "../auth/token.ts";
import type { Engine } from "../engine/engine.ts";
import type { Call } from "../rpc/call.ts";
import { findSession } from "../store/sessions.ts";
import { awsCaller, checkAws } from "./aws.ts";
import { parseSignedRequest } from "./aws-request.ts";
import { compileRule } from "./rule.ts";
import {
  firstFailure,
  invalid,
  type KeySource,
  readToken,
  type Unverified,
  verifyUpstream,
} from "./upstream.ts";

/** What the exchange works with. */
export interface ExchangeParts {
  readonly engine: Engine;
  readonly keys: SigningKeys;
  readonly verifier: TokenVerifier;
  readonly source: KeySource;
  addresses(): Addresses;
}

/** What a presented token entitles to. */
export interface Entitlement {
  readonly identity: string;
  readonly claims: JWTPayload;
  /** When the right to it ends. */
  readonly expires: number;
  /** What the presented token was narrowed to. */
  readonly limit: Grants | undefined;
  /** The session that the presented token came of, and the new one ends with. */
  readonly session?: string;
}

/** What the audit row tells of the presented token. */
export interface Seen {
  identity: string;
  issuer?: string;
  subject?: string;
}

/**
 * Finds out whom a presented token may become, or says why nobody.
 *
 * @example const { identity } = await entitlementOf(parts, call, request, token, seen);
 */
export function entitlementOf(
  parts: ExchangeParts,
  call: Call,
  request: ExchangeRequest,
  token: string,
  seen: Seen,
): Promise<Entitlement> {
  if (!isJwt(token)) return awsEntitlement(parts, call, request.identity, token);
  return jwtEntitlement(parts, call, request, note(seen, readToken(token)));
}

function isJwt(token: string): boolean {
  return token.includes(".");
}

/** Keeps for the audit row what a token says, believed or not. */
function note(seen: Seen, read: Unverified): Unverified {
  seen.issuer = read.issuer;
  if (read.claims.sub !== undefined) seen.subject = read.claims.sub;
  return read;
}

/** Finds out whom a JWT may become. */
function jwtEntitlement(
  parts: ExchangeParts,
  call: Call,
  request: ExchangeRequest,
  read: Unverified,
): Promise<Entitlement> {
  const own = read.issuer === parts.addresses().authUrl;
  if (own && request.identity === "") return ownEntitlement(parts, call, read);
  return trustedEntitlement(parts, call, request.identity, read, own);
}

/** A token of ours speaks for its own identity: for no longer, and no more, than it already does. */
async function ownEntitlement(
  parts: ExchangeParts,
  call: Call,
  read: Unverified,
): Promise<Entitlement> {
  const { subject, expires, limit, session } = await ownToken(parts, call, read);
  return { identity: subject, claims: read.claims, expires, limit, session };
}

/**
 * A token of ours, while its session lasts.
 *
 * @example const { subject } = await ownToken(parts, call, readToken(token));
 */
export async function ownToken(
  { engine, verifier }: ExchangeParts,
  { time }: Call,
  { token }: Unverified,
): Promise<VerifiedToken> {
  const verified = await verifier.verifyAnyAudience(token, time);
  const { session } = verified;
  if (session === "" || (await findSession(engine.store.reader, session))) return verified;
  throw hasEnded(session);
}

async function trustedEntitlement(
  parts: ExchangeParts,
  call: Call,
  asked: string,
  read: Unverified,
  own: boolean,
): Promise<Entitlement> {
  const { engine, source, addresses } = parts;
  const { time } = call;
  const uid = asked || literalIdentityUid(read.issuer, read.claims.sub ?? "");
  const identity = await engine.identities.find(engine.store.reader, uid);
  const rule = identity && compileRule(identity, acceptedAudiences(addresses()));
  if (rule === undefined) throw invalid("identity");
  if (rule.expires !== undefined && rule.expires <= time) throw invalid("identity");
  // A token that was made to do little must not become an identity that does much.
  const ours = own ? await ownToken(parts, call, read) : undefined;
  if (ours?.limit) throw invalid("cap");
  const claims = own ? read.claims : await verifyUpstream(read, rule, source, time);
  const refused = firstFailure(rule.check(claims));
  if (refused !== undefined) throw refused;
  return {
    identity: uid,
    claims,
    expires: rule.expires ?? Number.POSITIVE_INFINITY,
    limit: undefined,
    session: ours?.session ?? "",
  };
}

/** A request that AWS credentials signed speaks for the identity that it names. */
async function awsEntitlement(
  { engine, addresses }: ExchangeParts,
  { time }: Call,
  uid: string,
  token: string,
): Promise<Entitlement> {
  const identity = await engine.identities.find(engine.store.reader, uid);
  if (identity?.relationship.case !== "awsIdentity") throw invalid("identity");
  const terms = {
    endpoint: engine.settings.awsStsEndpoint,
    audiences: acceptedAudiences(addresses()),
  };
  const caller = await awsCaller(parseSignedRequest(token), uid, terms, time);
  const refused = firstFailure(checkAws(identity.relationship.value, caller));
  if (refused !== undefined) throw refused;
  const claims = { iss: terms.endpoint, sub: caller.arn };
  return { identity: uid, claims, expires: Number.POSITIVE_INFINITY, limit: undefined };
}

/**
 * The audiences of tokens that are meant for us, where an identity names none.
 *
 * @example const rule = compileRule(identity, acceptedAudiences(addresses()));
 */
export function acceptedAudiences({ authUrl }: Addresses): string[] {
  const { host, hostname } = new URL(authUrl);
  return [hostname, host, authUrl];
}
