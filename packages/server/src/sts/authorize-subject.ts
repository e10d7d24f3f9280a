import { literalIdentityUid } from "@wharf/contract";
import type { JWTPayload } from "jose";
import { revokedToken } from "../auth/authenticator.ts";
import type { Grants } from "../auth/grants.ts";
import type { SigningKeys } from "../auth/keys.ts";
import type { TokenVerifier } from "../auth/token.ts";
import type { Addresses } from "../config/addresses.ts";
import type { Settings } from "../config/settings.ts";
import type { AuditedDeps } from "../engine/audit/aggregator.ts";
import type { ResourceAccess } from "../engine/catalog.ts";
import { acceptedAudiences, type CachedIdentity, type IdentityCache } from "./identity-cache.ts";
import { checkOwnToken, checkSignIn, isForApiOrIssuer, verifyOwnToken } from "./own-token.ts";
import { checkAws } from "./verify/aws.ts";
import { type Checks, invalidClaim } from "./verify/checks.ts";
import { checkClaims, type TokenRule } from "./verify/rule.ts";
import {
  checkSignature,
  decodeToken,
  type KeySource,
  type UnverifiedToken,
} from "./verify/signature.ts";
import { checkTimeClaims } from "./verify/time-claims.ts";

export interface ExchangeDeps extends ResourceAccess, AuditedDeps {
  readonly settings: Settings;
  readonly keys: SigningKeys;
  readonly verifier: TokenVerifier;
  readonly source: KeySource;
  readonly identities: IdentityCache;
  addresses(): Addresses;
}

/** A subject token (RFC 8693) and what it is presented for. */
export interface SubjectTokenRequest {
  readonly token: string;
  /** The uid of the identity to assume; empty for the one that the token itself identifies. */
  readonly identity: string;
  readonly time: number;
  /** The audiences of the token to be issued. */
  readonly audiences?: readonly string[];
}

/** The identity that a subject token speaks for, and the bounds of that authorization. */
export interface AuthorizedSubject {
  readonly identity: CachedIdentity;
  readonly claims: JWTPayload;
  /** The expiry time of the authorization: the issued token must not outlive it. */
  readonly expires: number;
  /** The boundary of the subject token; undefined for all that the identity holds. */
  readonly boundary: Grants | undefined;
  /** The session of the subject token. The issued token ends with it. */
  readonly session?: string;
}

/** The audited facts about a subject token, filled in as soon as each is established. */
export interface AuditedSubject {
  identity: string;
  issuer?: string;
  subject?: string;
  /**
   * Whether an issuer that the identity trusts has signed the token. Not audited: it separates own denials from others.
   */
  isVerified?: boolean;
}

/**
 * Decides which identity a subject token speaks for:
 *
 * 1. Without a dot it is a signed AWS request. It speaks for the requested identity if that has an AWS
 *    rule and AWS confirms a signer who matches it.
 * 2. A JWT of this installation, without a requested identity, speaks for its own subject: no longer
 *    and for no more than it already does.
 * 3. A JWT of this installation, with a requested identity, assumes that identity if it meets its rule,
 *    has no boundary, and its sign-in is accepted by the organization of the identity.
 * 4. Any other JWT speaks for the requested identity, or for the one derived from its issuer and
 *    subject, if it meets the rule of that identity.
 *
 * Everything else is denied: returns undefined, or throws if the checks fail fast. The checks have the
 * reason.
 */
export async function authorizeSubject(
  deps: ExchangeDeps,
  request: SubjectTokenRequest,
  checks: Checks,
  audited: AuditedSubject,
): Promise<AuthorizedSubject | undefined> {
  if (!request.token.includes(".")) return authorizeAwsRequest(deps, request, checks);
  const token = decodeToken(request.token, checks);
  if (token === undefined) return undefined;
  audited.issuer = token.issuer;
  if (token.claims.sub !== undefined) audited.subject = token.claims.sub;
  if (token.issuer !== deps.addresses().authUrl)
    return authorizeForeignToken(deps, request, token, checks, audited);
  return request.identity === ""
    ? authorizeOwnSubject(deps, request, token)
    : authorizeAssumedIdentity(deps, request, token, checks, audited);
}

/** Case 1: a request that AWS credentials signed. */
async function authorizeAwsRequest(
  { settings, addresses, identities }: ExchangeDeps,
  { token, identity: uid, time }: SubjectTokenRequest,
  checks: Checks,
): Promise<AuthorizedSubject | undefined> {
  const identity = await identities.find(uid);
  if (identity?.rule?.kind !== "aws")
    return denyCredential(identity, "a signed AWS request", checks);
  const endpoint = settings.awsStsEndpoint;
  const expectations = { identity: uid, endpoint, audiences: acceptedAudiences(addresses()) };
  const signer = await checkAws(identity.rule, token, expectations, time, checks);
  if (signer === undefined || !checks.passed) return undefined;
  return {
    identity,
    claims: { iss: endpoint, sub: signer.arn },
    expires: Number.POSITIVE_INFINITY,
    boundary: undefined,
  };
}

/** Case 2: a token of ours for its own subject. */
async function authorizeOwnSubject(
  deps: ExchangeDeps,
  { time, audiences = [] }: SubjectTokenRequest,
  { token, claims }: UnverifiedToken,
): Promise<AuthorizedSubject> {
  const verified = await verifyOwnToken(deps, token, time);
  const { subject, expires, boundary, session } = verified;
  const addsNoAudience =
    audiences.length > 0 && audiences.every((audience) => verified.audiences.includes(audience));
  if (!addsNoAudience && !isForApiOrIssuer(verified, deps.addresses())) throw invalidClaim("aud");
  const identity = await deps.identities.find(subject);
  if (identity === undefined) throw invalidClaim("identity");
  // Within a session, group mappings can grant a person more than role bindings do.
  const granted = await deps.access.grantsOf(subject, undefined, session);
  if (granted === undefined) throw revokedToken(session);
  return { identity: { ...identity, granted }, claims, expires, boundary, session };
}

/** Case 3: a token of ours for another identity. */
async function authorizeAssumedIdentity(
  deps: ExchangeDeps,
  { identity: uid, time }: SubjectTokenRequest,
  token: UnverifiedToken,
  checks: Checks,
  audited: AuditedSubject,
): Promise<AuthorizedSubject | undefined> {
  const trusting = await findTrustingIdentity(deps, uid, checks);
  if (trusting === undefined) return undefined;
  const { identity, rule } = trusting;
  checkRuleExpiry(rule, time, checks);
  const verified = await checkOwnToken(deps, token, rule, time, checks);
  audited.isVerified = verified !== undefined;
  checkTimeClaims(token.claims, time, checks);
  await checkClaims(rule, withoutClient(token.claims), verified !== undefined, checks);
  if (verified === undefined || !checks.passed) return undefined;
  if (!(await checkSignIn(deps.access, uid, verified, checks))) return undefined;
  return {
    identity,
    claims: token.claims,
    expires: Math.min(rule.expires ?? Number.POSITIVE_INFINITY, verified.expires),
    boundary: undefined,
    session: verified.session,
  };
}

/** An ID token of ours is for its client, too, which the client chose: rules are about the other audience. */
function withoutClient(claims: JWTPayload): JWTPayload {
  const { aud, azp } = claims;
  return Array.isArray(aud) ? { ...claims, aud: aud.filter((one) => one !== azp) } : claims;
}

/** Case 4: a token of another issuer. */
async function authorizeForeignToken(
  deps: ExchangeDeps,
  { identity: requested, time }: SubjectTokenRequest,
  token: UnverifiedToken,
  checks: Checks,
  audited: AuditedSubject,
): Promise<AuthorizedSubject | undefined> {
  const uid = requested || literalIdentityUid(token.issuer, token.claims.sub ?? "");
  const trusting = await findTrustingIdentity(deps, uid, checks);
  if (trusting === undefined) return undefined;
  const { identity, rule } = trusting;
  checkRuleExpiry(rule, time, checks);
  const isSigned = await checkSignature(token, rule, deps.source, checks);
  audited.isVerified = isSigned;
  checkTimeClaims(token.claims, time, checks);
  await checkClaims(rule, token.claims, isSigned, checks);
  if (!isSigned || !checks.passed) return undefined;
  return {
    identity,
    claims: token.claims,
    expires: rule.expires ?? Number.POSITIVE_INFINITY,
    boundary: undefined,
    session: "",
  };
}

async function findTrustingIdentity(
  { identities }: ExchangeDeps,
  uid: string,
  checks: Checks,
): Promise<{ identity: CachedIdentity; rule: TokenRule } | undefined> {
  const identity = await identities.find(uid);
  if (identity?.rule?.kind === "token") return { identity, rule: identity.rule };
  return denyCredential(identity, "a JWT", checks);
}

/** The identity does not exist, or authenticates with another kind of credential. */
function denyCredential(
  identity: CachedIdentity | undefined,
  presented: string,
  checks: Checks,
): undefined {
  const expected = `the credential of ${identity?.relationship ?? "no relationship"}`;
  checks.add({ claim: "identity", expected, found: presented, ok: false });
}

/** Static keys cannot be rotated, so they are trusted for a limited time only. */
function checkRuleExpiry({ expires }: TokenRule, time: number, checks: Checks): void {
  if (expires === undefined) return;
  const [now, end] = [time, expires].map((ms) => new Date(ms).toISOString());
  const check = { claim: "expirationTime", expected: `after ${now}`, found: end ?? "" };
  checks.add({ ...check, ok: expires > time }, () => invalidClaim("identity"));
}
