import { ISSUER_URL, isIssuerUrl } from "@wharf/trust/issuer-url";
import {
  compactVerify,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
} from "jose";
import { isCanonicalBase64url } from "../../lib/crypto/base64url.ts";
import { unauthenticated, WharfError } from "../../lib/errors.ts";
import { FetchError } from "../../lib/net/fetch-json.ts";
import { StepBudget } from "../../lib/pattern/step-budget.ts";
import type { IssuerPolicy } from "../issuers/issuer-policy.ts";
import type { Issuers } from "../issuers/issuers.ts";
import { type Checks, malformedToken } from "./checks.ts";
import { checkValue } from "./matcher.ts";
import type { TokenRule } from "./rule.ts";

/** Asymmetric algorithms only: never `none`, never HMAC with a secret that verifiers share. */
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

/** Tokens of all platforms are shorter. */
const MAX_TOKEN_LENGTH = 16_384;

/**
 * Step budget of an issuer pattern. It is the only pattern that is evaluated before the signature is
 * verified, because keys are fetched from matching issuers only. Anyone can trigger it.
 */
const MAX_ISSUER_STEPS = 20_000;

/** A decoded token whose signature has not been verified. */
export interface UnverifiedToken {
  readonly token: string;
  readonly kid: string | undefined;
  readonly issuer: string;
  readonly claims: JWTPayload;
}

/** Decodes a token without verifying it. Undefined if it is malformed or has no issuer. */
export function decodeToken(token: string, checks: Checks): UnverifiedToken | undefined {
  const decoded = decode(token);
  if (decoded === undefined) {
    checks.add(
      { claim: "token", expected: "a JWT", found: "another text", ok: false },
      malformedToken,
    );
    return undefined;
  }
  const { header, claims } = decoded;
  const { typ = "JWT", kid } = header;
  checks.add(
    { claim: "typ", expected: "JWT", found: String(typ), ok: String(typ).toUpperCase() === "JWT" },
    () => unauthenticated('invalid "typ"'),
  );
  const issuer = typeof claims.iss === "string" ? claims.iss : "";
  if (issuer === "") {
    const check = { claim: "iss", expected: "an issuer", found: "none", ok: false };
    checks.add(check, () => unauthenticated('invalid "iss"'));
    return undefined;
  }
  return { token, kid, issuer, claims };
}

function decode(token: string) {
  if (token.length > MAX_TOKEN_LENGTH) return undefined;
  // Decoders ignore spare bits, padding and whitespace: each token must have only one spelling.
  if (!token.split(".").every(isCanonicalBase64url)) return undefined;
  try {
    const header = decodeProtectedHeader(token);
    // No critical extensions are supported (RFC 7515, section 4.1.11).
    return header.crit === undefined ? { header, claims: decodeJwt(token) } : undefined;
  } catch {
    return undefined;
  }
}

/** Checks that the issuer is a valid issuer URL and matches the rule. */
export async function checkIssuer(
  rule: TokenRule,
  issuer: string,
  checks: Checks,
): Promise<boolean> {
  if (!isIssuerUrl(issuer))
    return checks.add({ claim: "iss", expected: ISSUER_URL, found: issuer, ok: false });
  return checkValue(checks, "iss", rule.issuer, issuer, new StepBudget(MAX_ISSUER_STEPS));
}

/** The source of issuer keys. */
export interface KeySource {
  readonly issuers: Issuers;
  readonly policy: IssuerPolicy;
}

/**
 * Checks the signature of a token: the identity and the installation must trust its issuer, and a key
 * of that issuer must have signed it. Returns whether the signature is valid.
 */
export async function checkSignature(
  read: UnverifiedToken,
  rule: TokenRule,
  source: KeySource,
  checks: Checks,
): Promise<boolean> {
  const { token, issuer } = read;
  const trusted = await checkIssuer(rule, issuer, checks);
  const allowed = checks.add({
    claim: "iss",
    expected: "an issuer that this installation allows",
    found: issuer,
    ok: source.policy.mayTrust(issuer),
  });
  const signature = { claim: "signature", expected: "made by a key of the issuer" };
  // Never fetch anything from an issuer that is not trusted.
  if (!trusted || !allowed) {
    return checks.add({ ...signature, found: "not verified", ok: false });
  }
  try {
    const keys = await keysFor(read, rule, source);
    await compactVerify(token, keys, { algorithms: ALGORITHMS });
    return checks.add({ ...signature, found: "valid", ok: true });
  } catch (error) {
    const { found, denial } = failureOf(error, read);
    return checks.add({ ...signature, found, ok: false }, () => denial);
  }
}

async function keysFor(
  { issuer, kid }: UnverifiedToken,
  { keys, organization = "", issuer: { isPattern, expected } }: TokenRule,
  { issuers }: KeySource,
): Promise<JWTVerifyGetKey> {
  const pattern = isPattern ? expected : undefined;
  return keys ?? (await issuers.keysOf(issuer, kid, performance.now(), { organization, pattern }));
}

interface Failure {
  /** For callers who may read the identity. */
  readonly found: string;
  /** For the presenter of the token. */
  readonly denial: WharfError;
}

/** Why verification failed. Rethrows errors that the token did not cause. */
function failureOf(error: unknown, { kid }: UnverifiedToken): Failure {
  if (error instanceof FetchError) {
    const text = `the keys of the token's issuer: ${error.message}`;
    return {
      found: `the issuer's keys are unreachable: ${error.message}`,
      denial: new WharfError("UNAVAILABLE", text, undefined, error),
    };
  }
  if (error instanceof errors.JOSEAlgNotAllowed)
    return {
      found: "an algorithm that is not accepted",
      denial: unauthenticated('invalid "alg"'),
    };
  if (error instanceof errors.JWKSNoMatchingKey) {
    const found = `the issuer has no key ${kid === undefined ? "for it" : JSON.stringify(kid)}`;
    return { found, denial: unauthenticated('invalid "kid"') };
  }
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return { found: "invalid", denial: unauthenticated("the token's signature is invalid") };
  if (error instanceof errors.JOSEError) return { found: "malformed", denial: malformedToken() };
  throw error;
}
