/**
 * Verifies credentials: JWTs against rules of identities, and signed AWS requests. Imports issuers
 * and lib, and no storage.
 */
import type { JWTPayload } from "jose";
import type { AuditedSubject } from "../authorize-subject.ts";
import { Checks, malformedToken } from "./checks.ts";
import { checkClaims, type TokenRule } from "./rule.ts";
import { checkSignature, decodeToken, type KeySource } from "./signature.ts";
import { checkTimeClaims } from "./time-claims.ts";

/**
 * Verifies a token of a person against a rule and returns its claims; throws the first check that fails.
 * `authorizeSubject` verifies tokens of identities, which takes more checks.
 */
export async function verifyToken(
  token: string,
  rule: TokenRule,
  source: KeySource,
  time: number,
  audited: Partial<AuditedSubject> = {},
): Promise<JWTPayload & { iss: string; sub: string }> {
  const checks = Checks.failFast();
  const read = decodeToken(token, checks);
  if (read === undefined) throw malformedToken();
  const { claims, issuer } = read;
  const { sub = "" } = claims;
  audited.issuer = issuer;
  audited.subject = sub;
  const isSigned = await checkSignature(read, rule, source, checks);
  checkTimeClaims(claims, time, checks);
  checks.add({ claim: "sub", expected: "a subject", found: sub, ok: sub !== "" });
  await checkClaims(rule, claims, isSigned, checks);
  return { ...claims, iss: issuer, sub };
}
