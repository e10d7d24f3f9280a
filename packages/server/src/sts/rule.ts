import { timestampMs } from "@bufbuild/protobuf/wkt";
import type {
  Identity,
  Identity_AWSIdentity,
  Identity_ClaimMatch,
  Identity_StaticKeys,
} from "@wharf/contract";
import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, type JWTVerifyGetKey } from "jose";
import type { Check } from "./checks.ts";
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
 *
 * @example const rule = compileRule(identity, ["wharf.example.com"]);
 */
export function compileRule(
  { relationship }: Identity,
  audiences: readonly string[],
): Rule | undefined {
  switch (relationship.case) {
    case "claimMatch":
      return claimRule(relationship.value, audiences);
    case "staticKeys":
      return staticRule(relationship.value, audiences);
    case "awsIdentity":
      return awsRule(relationship.value);
    default:
      return undefined;
  }
}

/**
 * Every claim beside the issuer, held against the rule. The token's signature and times are checked
 * elsewhere.
 *
 * @example for (const check of checkClaims(rule, claims)) checks.note(check);
 */
export function checkClaims(rule: TokenRule, claims: JWTPayload): Check[] {
  return rule.claims.map(([claim, matcher]) =>
    checkValue(claim, matcher, textOf(claim, claims[claim])),
  );
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
    claims: [
      ["sub", valueOrPattern(sub, "subjectPattern")],
      ["aud", audience],
      ...Object.entries(claims).map(([name, value]) => [name, exactly(value)] as const),
      ...Object.entries(claimPatterns).map(([name, value]) => [name, pattern(value)] as const),
    ],
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
    claims: [
      ["aws-acct", exactly(awsAccount)],
      ["aws-arn", valueOrPattern(awsArn, "arnPattern")],
      ["aws-user-id", valueOrPattern(awsUserId, "userIdPattern")],
    ],
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
