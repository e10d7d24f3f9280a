import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  type Identity,
  type Identity_AWSIdentity,
  type Identity_ClaimMatch,
  type Identity_StaticKeys,
  rootOf,
} from "@wharf/contract";
import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, type JWTVerifyGetKey } from "jose";
import type { Checks } from "./checks.ts";
import {
  type ClaimMatchers,
  checkValue,
  exactly,
  type Matcher,
  oneOf,
  pattern,
} from "./matcher.ts";

/** The compiled requirements of an identity for JWTs. */
export interface TokenRule {
  readonly kind: "token";
  /** Checked before any keys are fetched from the issuer. */
  readonly issuer: Matcher;
  /** Subject, audience and other claims. */
  readonly claims: ClaimMatchers;
  /** Static keys, used instead of those that the issuer publishes. */
  readonly keys?: JWTVerifyGetKey;
  /** The expiry time of the rule itself, in milliseconds since 1970. */
  readonly expires?: number;
  /** The organization that owns the rule; its share of the key cache is used. */
  readonly organization?: string;
}

/** The compiled requirements of an identity for signed AWS requests. */
export interface AwsRule {
  readonly kind: "aws";
  readonly claims: ClaimMatchers;
}

export type Rule = TokenRule | AwsRule;

/** Compiles the rule of an identity; undefined if it authenticates in another way. */
export function compileRule(
  { uid, relationship }: Identity,
  audiences: readonly string[],
): Rule | undefined {
  switch (relationship.case) {
    case "claimMatch":
      return { ...claimRule(relationship.value, audiences), organization: organizationOf(uid) };
    case "staticKeys":
      return staticRule(relationship.value, audiences);
    case "awsIdentity":
      return awsRule(relationship.value);
    default:
      return undefined;
  }
}

/**
 * Checks all claims except the issuer, patterns last. The signature is checked before: patterns are not
 * evaluated for a token without a valid signature.
 */
export async function checkClaims(
  rule: TokenRule,
  claims: JWTPayload,
  isSigned: boolean,
  checks: Checks,
): Promise<void> {
  for (const [claim, matcher] of rule.claims) {
    const found = textOf(claim, claims[claim]);
    if (matcher.isPattern && !isSigned) {
      const expected = `${matcher.expected} (not evaluated without a valid signature)`;
      checks.add({ claim, expected, found: found ?? "", ok: false });
    } else await checkValue(checks, claim, matcher, found);
  }
}

/** Exact values first: they are cheap, and a mismatch makes evaluating patterns unnecessary. */
function exactFirst(matchers: ClaimMatchers): ClaimMatchers {
  return [
    ...matchers.filter(([, { isPattern }]) => !isPattern),
    ...matchers.filter(([, { isPattern }]) => isPattern),
  ];
}

/** The organization of an identity or provider; empty for a person's identity, which has none. */
export function organizationOf(uid: string): string {
  return uid.includes("/") ? rootOf(uid) : "";
}

function claimRule(
  { iss, sub, aud, claims, claimPatterns }: Identity_ClaimMatch,
  audiences: readonly string[],
): TokenRule {
  const audience =
    aud.case === undefined ? oneOf(audiences) : valueOrPattern(aud, "audiencePattern");
  return {
    kind: "token",
    issuer: valueOrPattern(iss, "issuerPattern"),
    claims: exactFirst([
      ["sub", valueOrPattern(sub, "subjectPattern")],
      ["aud", audience],
      ...Object.entries(claims).map(([name, value]) => [name, exactly(value)] as const),
      ...Object.entries(claimPatterns).map(([name, value]) => [name, pattern(value)] as const),
    ]),
  };
}

function staticRule(keys: Identity_StaticKeys, audiences: readonly string[]): TokenRule {
  return {
    kind: "token",
    issuer: exactly(keys.issuer),
    claims: [
      ["sub", exactly(keys.subject)],
      ["aud", oneOf(keys.audiences.length > 0 ? keys.audiences : audiences)],
    ],
    keys: createLocalJWKSet(JSON.parse(keys.issuerKeys) as JSONWebKeySet),
    expires: keys.expirationTime === undefined ? 0 : timestampMs(keys.expirationTime),
  };
}

function awsRule({ awsAccount, awsArn, awsUserId }: Identity_AWSIdentity): AwsRule {
  return {
    kind: "aws",
    claims: exactFirst([
      ["aws-acct", exactly(awsAccount)],
      ["aws-arn", valueOrPattern(awsArn, "arnPattern")],
      ["aws-user-id", valueOrPattern(awsUserId, "userIdPattern")],
    ]),
  };
}

/** A oneof of the contract: a value or a pattern. An unset one never matches. */
function valueOrPattern(
  { case: selected, value = "" }: { case: string | undefined; value?: string | undefined },
  patternCase: string,
): Matcher {
  return selected === patternCase ? pattern(value) : exactly(value);
}

/** A claim as text to compare; undefined for claims without a single text, such as several audiences. */
function textOf(claim: string, value: unknown): string | undefined {
  if (claim === "aud" && Array.isArray(value))
    return value.length === 1 ? textOf("", value[0]) : undefined;
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || typeof value === "number") return String(value);
  return undefined;
}
