import type { JWTPayload } from "jose";
import type { Seen } from "../authorize-subject.ts";
import { Checks, malformed } from "./checks.ts";
import { checkClaims, type TokenRule } from "./rule.ts";
import { checkSigned, type KeySource, readToken } from "./signature.ts";
import { checkTimes } from "./time-claims.ts";

/**
 * Believes a token that must meet a rule, and returns what it claims; throws the first check that
 * fails. For tokens that speak for a person; the exchange for identities has more to check.
 */
export async function verifyToken(
  token: string,
  rule: TokenRule,
  source: KeySource,
  time: number,
  seen: Partial<Seen> = {},
): Promise<JWTPayload & { iss: string; sub: string }> {
  const checks = Checks.untilFailure();
  const read = readToken(token, checks);
  if (read === undefined) throw malformed();
  const { claims, issuer } = read;
  const { sub = "" } = claims;
  seen.issuer = issuer;
  seen.subject = sub;
  const isSigned = await checkSigned(read, rule, source, time, checks);
  checkTimes(claims, time, checks);
  checks.note({ claim: "sub", expected: "a subject", found: sub, ok: sub !== "" });
  await checkClaims(rule, claims, isSigned, checks);
  return { ...claims, iss: issuer, sub };
}
