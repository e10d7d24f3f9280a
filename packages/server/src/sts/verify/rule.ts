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
import { checkValue, exactly, type Matcher, oneOf, pattern, type Wanted } from "./matcher.ts";

/** What an identity asks of a JWT, made ready. */
export interface TokenRule {
  readonly kind: "token";
  /** Whose tokens are looked at at all: asked before any of their keys is fetched. */
  readonly issuer: Matcher;
  /** Subject, audience, and whatever else is asked for. */
  readonly claims: Wanted;
  /** Keys that stand in for the issuer's own, where it cannot be reached. */
  readonly keys?: JWTVerifyGetKey;
  /** When the rule itself ends, in milliseconds since 1970. */
  readonly expires?: number;
  /** The organization that made the rule, on whose account keys are cached. */
  readonly organization?: string;
}

/** What an identity asks of a signed AWS request, made ready. */
export interface AwsRule {
  readonly kind: "aws";
  readonly claims: Wanted;
}

export type Rule = TokenRule | AwsRule;

/**
 * Makes the rule of an identity that tokens or signed requests can speak for; undefined for those
 * that prove themselves in another way.
 */
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
 * Checks every claim beside the issuer against the rule, patterns last. The token's signature and times
 * are checked elsewhere, and before: no pattern is evaluated for a token that nobody is known to have
 * signed.
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

/** Exact values first: they cost next to nothing, and make most patterns unnecessary. */
function exactFirst(wanted: Wanted): Wanted {
  return [
    ...wanted.filter(([, { isPattern }]) => !isPattern),
    ...wanted.filter(([, { isPattern }]) => isPattern),
  ];
}

/**
 * The organization that an identity or a provider is in; empty for the identity of a person, which is
 * in none.
 */
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

/** One of the contract's choices between a value and a pattern; nothing chosen matches nothing. */
function valueOrPattern(
  { case: chosen, value = "" }: { case: string | undefined; value?: string | undefined },
  patternCase: string,
): Matcher {
  return chosen === patternCase ? pattern(value) : exactly(value);
}

/** A claim as text to compare; undefined for what has no one text, such as several audiences. */
function textOf(claim: string, value: unknown): string | undefined {
  if (claim === "aud" && Array.isArray(value))
    return value.length === 1 ? textOf("", value[0]) : undefined;
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || typeof value === "number") return String(value);
  return undefined;
}
