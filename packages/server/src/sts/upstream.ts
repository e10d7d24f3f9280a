import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from "jose";
import { unauthenticated, WharfError } from "../errors.ts";
import { FetchError } from "./fetch-json.ts";
import type { IssuerPolicy } from "./issuer-policy.ts";
import type { Issuers } from "./issuers.ts";
import type { Check, Rule } from "./rule.ts";

/** Signatures that only the issuer can make. Never `none`, never a secret that verifiers share. */
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

/** How far clocks may be apart. */
const CLOCKS_APART_SECONDS = 30;

/** Longer than any platform's token. */
const LONGEST = 16_384;

/** A token that has been read, and not yet been believed. */
export interface Unverified {
  readonly token: string;
  readonly kid: string | undefined;
  readonly issuer: string;
  readonly claims: JWTPayload;
}

/**
 * Reads a token without believing it: enough to know whose keys to ask for.
 *
 * @example const { issuer } = readToken(token);
 */
export function readToken(token: string): Unverified {
  if (token.length > LONGEST) throw unauthenticated("the token is malformed");
  try {
    const { kid, typ } = decodeProtectedHeader(token);
    const claims = decodeJwt(token);
    if (typ !== undefined && typ.toUpperCase() !== "JWT") throw unauthenticated('invalid "typ"');
    if (typeof claims.iss !== "string" || claims.iss === "") throw unauthenticated('invalid "iss"');
    return { token, kid, issuer: claims.iss, claims };
  } catch (error) {
    if (error instanceof WharfError) throw error;
    throw unauthenticated("the token is malformed");
  }
}

/** Where keys come from. */
export interface KeySource {
  readonly issuers: Issuers;
  readonly policy: IssuerPolicy;
}

/**
 * Believes a token, or says why not: its issuer must be trusted, its signature right, its time now.
 * What it claims is for the rule to judge.
 *
 * @example const claims = await verifyUpstream(read, rule, source, Date.now());
 */
export async function verifyUpstream(
  read: Unverified,
  rule: Rule,
  source: KeySource,
  now: number,
): Promise<JWTPayload> {
  const { token, issuer } = read;
  if (!rule.trustsIssuer(issuer) || !source.policy.mayTrust(issuer)) throw invalid("iss");
  const keys = await keysFor(read, rule, source, now);
  try {
    const { payload } = await jwtVerify(token, keys, {
      algorithms: ALGORITHMS,
      issuer,
      requiredClaims: ["exp", "sub"],
      clockTolerance: CLOCKS_APART_SECONDS,
      currentDate: new Date(now),
    });
    return payload;
  } catch (error) {
    throw refusal(error);
  }
}

async function keysFor(
  { issuer, kid }: Unverified,
  rule: Rule,
  { issuers }: KeySource,
  now: number,
): Promise<JWTVerifyGetKey> {
  if (rule.keys !== undefined) return createLocalJWKSet(rule.keys);
  try {
    return await issuers.keysOf(issuer, kid, now);
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    throw new WharfError(
      "UNAVAILABLE",
      `the keys of the token's issuer: ${error.message}`,
      undefined,
      error,
    );
  }
}

/**
 * The refusal of a token that fails a check; undefined when it passes all of them.
 *
 * @example const refused = firstFailure(rule.check(claims)); if (refused) throw refused;
 */
export function firstFailure(checks: readonly Check[]): WharfError | undefined {
  const failed = checks.find((check) => !check.ok);
  return failed && invalid(failed.claim);
}

/**
 * Says which check failed, and nothing of what was expected.
 *
 * @example throw invalid("aud");
 */
export function invalid(what: string): WharfError {
  return new WharfError("PERMISSION_DENIED", `invalid "${what}"`);
}

function refusal(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) return unauthenticated("the token has expired");
  if (error instanceof errors.JWTClaimValidationFailed)
    return unauthenticated(`invalid "${error.claim}"`);
  if (error instanceof errors.JOSEAlgNotAllowed) return unauthenticated('invalid "alg"');
  if (error instanceof errors.JWKSNoMatchingKey) return unauthenticated('invalid "kid"');
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return unauthenticated("the token's signature is wrong");
  if (error instanceof errors.JOSEError) return unauthenticated("the token is malformed");
  return error;
}
