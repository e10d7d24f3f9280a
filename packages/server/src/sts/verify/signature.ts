import {
  compactVerify,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
} from "jose";
import { isCanonicalBase64url } from "../../lib/base64url.ts";
import { unauthenticated, WharfError } from "../../lib/errors.ts";
import { FetchError } from "../../lib/fetch-json.ts";
import { ISSUER_URL, isIssuerUrl } from "../../lib/issuer-url.ts";
import { StepBudget } from "../../lib/pattern/step-budget.ts";
import type { IssuerPolicy } from "../issuers/issuer-policy.ts";
import type { Issuers } from "../issuers/issuers.ts";
import { type Checks, malformedToken } from "./checks.ts";
import { checkValue } from "./matcher.ts";
import type { TokenRule } from "./rule.ts";

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

/** Longer than any platform's token. */
const MAX_TOKEN_LENGTH = 16_384;

/**
 * Steps that an issuer's pattern may take. It is the one pattern that is evaluated before a signature
 * is verified, since nothing is fetched from issuers that it does not match: anyone can make it run.
 */
const MAX_ISSUER_STEPS = 20_000;

/** A token that has been read, and not yet been believed. */
export interface UnverifiedToken {
  readonly token: string;
  readonly kid: string | undefined;
  readonly issuer: string;
  readonly claims: JWTPayload;
}

/**
 * Reads a token without believing it: enough to know whose keys to ask for. Undefined when there is
 * nothing to go on with.
 */
export function decodeToken(token: string, checks: Checks): UnverifiedToken | undefined {
  const decoded = decode(token);
  if (decoded === undefined) {
    checks.add(
      { claim: "token", expected: "a JWT", found: "something else", ok: false },
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
  // Decoders ignore spare bits, padding and white space: another spelling would be another token.
  if (!token.split(".").every(isCanonicalBase64url)) return undefined;
  try {
    const header = decodeProtectedHeader(token);
    // Whatever a token says must be understood, we do not.
    return header.crit === undefined ? { header, claims: decodeJwt(token) } : undefined;
  } catch {
    return undefined;
  }
}

/** Checks that an issuer is one, and the one that a rule asks for. */
export async function checkIssuer(
  rule: TokenRule,
  issuer: string,
  checks: Checks,
): Promise<boolean> {
  if (!isIssuerUrl(issuer))
    return checks.add({ claim: "iss", expected: ISSUER_URL, found: issuer, ok: false });
  return checkValue(checks, "iss", rule.issuer, issuer, new StepBudget(MAX_ISSUER_STEPS));
}

/** Where keys come from. */
export interface KeySource {
  readonly issuers: Issuers;
  readonly policy: IssuerPolicy;
}

/**
 * Checks who signed a token: its issuer must be trusted by the identity and by the installation, and
 * its signature be made by a key of that issuer. What it claims is for the rule to judge. Returns
 * whether the signature is valid.
 */
export async function checkSignature(
  read: UnverifiedToken,
  rule: TokenRule,
  source: KeySource,
  now: number,
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
  // Nothing is fetched from an issuer that is not trusted.
  if (!trusted || !allowed) {
    return checks.add({ ...signature, found: "not looked at", ok: false });
  }
  try {
    const keys = await keysFor(read, rule, source, now);
    await compactVerify(token, keys, { algorithms: ALGORITHMS });
    return checks.add({ ...signature, found: "right", ok: true });
  } catch (error) {
    const { found, refusal } = failureOf(error, read);
    return checks.add({ ...signature, found, ok: false }, () => refusal);
  }
}

async function keysFor(
  { issuer, kid }: UnverifiedToken,
  { keys, organization = "", issuer: { isPattern, expected } }: TokenRule,
  { issuers }: KeySource,
  now: number,
): Promise<JWTVerifyGetKey> {
  const pattern = isPattern ? expected : undefined;
  return keys ?? (await issuers.keysOf(issuer, kid, now, { organization, pattern }));
}

interface Failure {
  /** For whoever may know all about it. */
  readonly found: string;
  /** For whoever presents the token. */
  readonly refusal: WharfError;
}

/** Why a signature does not count. Throws what is no fault of the token. */
function failureOf(error: unknown, { kid }: UnverifiedToken): Failure {
  if (error instanceof FetchError) {
    const text = `the keys of the token's issuer: ${error.message}`;
    return {
      found: `the issuer's keys are unreachable: ${error.message}`,
      refusal: new WharfError("UNAVAILABLE", text, undefined, error),
    };
  }
  if (error instanceof errors.JOSEAlgNotAllowed)
    return {
      found: "an algorithm that is not accepted",
      refusal: unauthenticated('invalid "alg"'),
    };
  if (error instanceof errors.JWKSNoMatchingKey) {
    const found = `the issuer has no key ${kid === undefined ? "for it" : JSON.stringify(kid)}`;
    return { found, refusal: unauthenticated('invalid "kid"') };
  }
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return { found: "wrong", refusal: unauthenticated("the token's signature is wrong") };
  if (error instanceof errors.JOSEError) return { found: "malformed", refusal: malformedToken() };
  throw error;
}
