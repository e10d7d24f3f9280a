import { literalIdentityUid } from "@wharf/contract";
import type { JWTPayload } from "jose";
import { hasEnded } from "../auth/authenticator.ts";
import { OPERATOR_UID } from "../auth/caller.ts";
import type { Grants } from "../auth/grants.ts";
import type { SigningKeys } from "../auth/keys.ts";
import type { TokenVerifier, VerifiedToken } from "../auth/token.ts";
import type { Addresses } from "../config/addresses.ts";
import type { Engine } from "../engine/engine.ts";
import { WharfError } from "../lib/errors.ts";
import { acceptedAudiences, type CachedIdentity, type IdentityCache } from "./identity-cache.ts";
import { checkAws } from "./verify/aws.ts";
import { type Checks, invalidClaim } from "./verify/checks.ts";
import { checkClaims, type TokenRule } from "./verify/rule.ts";
import {
  checkIssuer,
  checkSignature,
  decodeToken,
  type KeySource,
  type UnverifiedToken,
} from "./verify/signature.ts";
import { checkTimeClaims } from "./verify/time-claims.ts";

/** What the exchange works with. */
export interface ExchangeDeps {
  readonly engine: Engine;
  readonly keys: SigningKeys;
  readonly verifier: TokenVerifier;
  readonly source: KeySource;
  readonly identities: IdentityCache;
  addresses(): Addresses;
}

/** A token that somebody presents. */
export interface SubjectTokenRequest {
  readonly token: string;
  /** The uid of the identity to become; empty for the one that the token itself tells. */
  readonly identity: string;
  readonly time: number;
  /** Whom the token that is asked for is to be meant for. */
  readonly audiences?: readonly string[];
}

/** What a presented token entitles to. */
export interface AuthorizedSubject {
  readonly identity: CachedIdentity;
  readonly claims: JWTPayload;
  /** When the right to it ends. */
  readonly expires: number;
  /** What the presented token was narrowed to. */
  readonly limit: Grants | undefined;
  /** The session that the presented token came of, and the new one ends with. */
  readonly session?: string;
}

/** What the audit row tells of the presented token. */
export interface AuditedSubject {
  identity: string;
  issuer?: string;
  subject?: string;
}

/** Finds out whom a presented token may become: undefined when nobody, the checks say why. */
export async function authorizeSubject(
  deps: ExchangeDeps,
  presented: SubjectTokenRequest,
  checks: Checks,
  seen: AuditedSubject,
): Promise<AuthorizedSubject | undefined> {
  if (!presented.token.includes(".")) return awsEntitlement(deps, presented, checks);
  const read = decodeToken(presented.token, checks);
  if (read === undefined) return undefined;
  seen.issuer = read.issuer;
  if (read.claims.sub !== undefined) seen.subject = read.claims.sub;
  const own = read.issuer === deps.addresses().authUrl;
  if (own && presented.identity === "") return ownEntitlement(deps, presented, read);
  return trustedEntitlement(deps, presented, read, own, checks);
}

/** A token of ours speaks for its own identity: for no longer, and no more, than it already does. */
async function ownEntitlement(
  deps: ExchangeDeps,
  { time, audiences = [] }: SubjectTokenRequest,
  { token, claims }: UnverifiedToken,
): Promise<AuthorizedSubject> {
  const verified = await verifyOwnToken(deps, token, time);
  const { subject, expires, limit, session } = verified;
  const knows = (audience: string) => verified.audiences.includes(audience);
  const goesNoFurther = audiences.length > 0 && audiences.every(knows);
  if (!goesNoFurther && !isForApiOrIssuer(verified, deps.addresses())) throw invalidClaim("aud");
  const known = await deps.identities.find(subject);
  if (known === undefined) throw invalidClaim("identity");
  // In a session, a person may hold more than their bindings give.
  const granted = await deps.engine.grantsOf(subject, undefined, session);
  if (granted === undefined) throw hasEnded(session);
  return { identity: { ...known, granted }, claims, expires, limit, session };
}

/**
 * Whether a token of ours is meant for the API, or for us as its issuer. One that is meant for a
 * registry or another service is known to whoever runs that, who must not be able to make it another.
 */
export function isForApiOrIssuer(
  { audiences }: VerifiedToken,
  { baseUrl, authUrl }: Addresses,
): boolean {
  return audiences.includes(baseUrl) || audiences.includes(authUrl);
}

/** A token of ours, while its session lasts. */
export async function verifyOwnToken(
  { engine, keys, verifier }: ExchangeDeps,
  token: string,
  time: number,
): Promise<VerifiedToken> {
  await keys.catchUp();
  const verified = await verifier.verifyAnyAudience(token, time);
  const { session } = verified;
  if (session === "" || (await engine.session(session))) return verified;
  throw hasEnded(session);
}

/** A token speaks for an identity whose rule it meets. */
async function trustedEntitlement(
  deps: ExchangeDeps,
  { identity: asked, time }: SubjectTokenRequest,
  read: UnverifiedToken,
  own: boolean,
  checks: Checks,
): Promise<AuthorizedSubject | undefined> {
  const uid = asked || literalIdentityUid(read.issuer, read.claims.sub ?? "");
  const identity = await deps.identities.find(uid);
  const rule = identity?.rule;
  if (rule?.kind !== "token") return noSuchWay(identity, "a JWT", checks);
  checkExpiry(rule, time, checks);
  const ours = own ? await checkOwn(deps, read, rule, time, checks) : undefined;
  const isSigned = own
    ? ours !== undefined
    : await checkSignature(read, rule, deps.source, time, checks);
  checkTimeClaims(read.claims, time, checks);
  await checkClaims(rule, read.claims, isSigned, checks);
  if (identity === undefined || !checks.passed) return undefined;
  if (ours !== undefined && !(await signInCounts(deps.engine, uid, ours, checks))) return undefined;
  const { expires: end = Number.POSITIVE_INFINITY, session = "" } = ours ?? {};
  const expires = Math.min(rule.expires ?? Number.POSITIVE_INFINITY, end);
  return { identity, claims: read.claims, expires, limit: undefined, session };
}

/**
 * An identity may trust a person by the uid in our tokens, however they signed in. The sign-in must
 * count at the identity's group; otherwise any tenant's identity provider could speak for that person.
 */
async function signInCounts(
  engine: Engine,
  uid: string,
  { subject, session: id }: VerifiedToken,
  checks: Checks,
): Promise<boolean> {
  if (subject === OPERATOR_UID) return true;
  const session = id === "" ? undefined : await engine.session(id);
  const expected = "a sign-in that the identity's organization accepts";
  const ok = await engine.mayAssume(uid, subject, session);
  return checks.add({ claim: "sid", expected, found: ok ? expected : "another", ok });
}

/** Keys that cannot be rotated are trusted for a time only. */
function checkExpiry({ expires }: TokenRule, time: number, checks: Checks): void {
  if (expires === undefined) return;
  const [expected, found] = [time, expires].map((ms) => new Date(ms).toISOString());
  checks.add(
    {
      claim: "expirationTime",
      expected: `after ${expected}`,
      found: found ?? "",
      ok: expires > time,
    },
    () => invalidClaim("identity"),
  );
}

/** Checks a token of ours that is to become another identity. */
async function checkOwn(
  deps: ExchangeDeps,
  { token, issuer }: UnverifiedToken,
  rule: TokenRule,
  time: number,
  checks: Checks,
): Promise<VerifiedToken | undefined> {
  await checkIssuer(rule, issuer, checks);
  const signature = { claim: "signature", expected: "made by a key of this installation" };
  try {
    const verified = await verifyOwnToken(deps, token, time);
    const { limit } = verified;
    checks.add({ ...signature, found: "right", ok: true });
    if (!isForApiOrIssuer(verified, deps.addresses())) {
      const found = verified.audiences.join(" ");
      checks.add({ claim: "aud", expected: "the API or this issuer", found, ok: false });
    }
    // A token that was made to do little must not become an identity that does much.
    const found = limit === undefined ? "all of it" : "a part";
    const expected = "all that its identity holds";
    checks.add({ claim: "cap", expected, found, ok: limit === undefined });
    return verified;
  } catch (error) {
    if (!(error instanceof WharfError) || error.code !== "UNAUTHENTICATED") throw error;
    checks.add({ ...signature, found: error.message, ok: false }, () => error);
    return undefined;
  }
}

/** A request that AWS credentials signed speaks for the identity that it names. */
async function awsEntitlement(
  { engine, addresses, identities }: ExchangeDeps,
  { token, identity: uid, time }: SubjectTokenRequest,
  checks: Checks,
): Promise<AuthorizedSubject | undefined> {
  const identity = await identities.find(uid);
  const rule = identity?.rule;
  if (rule?.kind !== "aws") return noSuchWay(identity, "a signed AWS request", checks);
  const endpoint = engine.settings.awsStsEndpoint;
  const terms = { identity: uid, endpoint, audiences: acceptedAudiences(addresses()) };
  const caller = await checkAws(rule, token, terms, time, checks);
  if (identity === undefined || caller === undefined || !checks.passed) return undefined;
  const claims = { iss: endpoint, sub: caller.arn };
  return { identity, claims, expires: Number.POSITIVE_INFINITY, limit: undefined };
}

/** The way that an identity asks to be proven, by its name in the contract. */
function noSuchWay(
  identity: CachedIdentity | undefined,
  presented: string,
  checks: Checks,
): undefined {
  const expected = `what ${identity?.relationship ?? "no relationship"} asks for`;
  checks.add({ claim: "identity", expected, found: presented, ok: false });
}
