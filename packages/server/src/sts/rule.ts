import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Identity, Identity_ClaimMatch, Identity_StaticKeys } from "@wharf/contract";
import type { JSONWebKeySet, JWTPayload } from "jose";
import { RE2JS } from "re2js";

/** One thing that a token was checked for. */
export interface Check {
  /** The claim's name, as in the token. */
  readonly claim: string;
  /** What the identity asks for; a pattern stands between slashes. */
  readonly expected: string;
  /** What the token has. */
  readonly found: string;
  readonly ok: boolean;
}

/** What an identity asks of a token, made ready. */
export interface Rule {
  /** Whether tokens of this issuer are looked at at all: asked before any of its keys is fetched. */
  trustsIssuer(issuer: string): boolean;
  /** Every check, passed or not. The token's signature and times are checked elsewhere. */
  check(claims: JWTPayload): Check[];
  /** Keys that stand in for the issuer's own, where it cannot be reached. */
  readonly keys?: JSONWebKeySet;
  /** When the rule itself ends, in milliseconds since 1970. */
  readonly expires?: number;
}

/** Decides whether a claim's value is the wanted one, and can say what that is. */
interface Matcher {
  readonly expected: string;
  matches(value: string): boolean;
}

/**
 * Makes the rule of an identity that tokens can speak for; undefined for those that prove
 * themselves in another way.
 *
 * @example compileRule(identity, ["wharf.example.com"])?.check(claims)
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
    default:
      return undefined;
  }
}

function claimRule(
  { iss, sub, aud, claims, claimPatterns }: Identity_ClaimMatch,
  audiences: readonly string[],
): Rule {
  const issuer = iss.case === "issuerPattern" ? pattern(iss.value) : exactly(iss.value ?? "");
  const subject = sub.case === "subjectPattern" ? pattern(sub.value) : exactly(sub.value ?? "");
  const audience =
    aud.case === "audiencePattern"
      ? pattern(aud.value)
      : aud.case === "audience"
        ? exactly(aud.value)
        : oneOf(audiences);
  const custom = [
    ...Object.entries(claims).map(([name, value]) => [name, exactly(value)] as const),
    ...Object.entries(claimPatterns).map(([name, value]) => [name, pattern(value)] as const),
  ];
  return rule(issuer, subject, audience, custom);
}

function staticRule(keys: Identity_StaticKeys, audiences: readonly string[]): Rule {
  const audience = keys.audiences.length > 0 ? oneOf(keys.audiences) : oneOf(audiences);
  return {
    ...rule(exactly(keys.issuer), exactly(keys.subject), audience, []),
    keys: JSON.parse(keys.issuerKeys) as JSONWebKeySet,
    expires: keys.expirationTime === undefined ? 0 : timestampMs(keys.expirationTime),
  };
}

function rule(
  issuer: Matcher,
  subject: Matcher,
  audience: Matcher,
  custom: readonly (readonly [string, Matcher])[],
): Rule {
  const wanted = [["iss", issuer], ["sub", subject], ["aud", audience], ...custom] as const;
  return {
    trustsIssuer: (value) => issuer.matches(value),
    check: (claims) =>
      wanted.map(([claim, { expected, matches }]) => {
        const found = textOf(claim, claims[claim]);
        return { claim, expected, found: found ?? "", ok: found !== undefined && matches(found) };
      }),
  };
}

/** A claim as text to compare; undefined for what has no one text, such as several audiences. */
function textOf(claim: string, value: unknown): string | undefined {
  if (claim === "aud" && Array.isArray(value))
    return value.length === 1 ? textOf("", value[0]) : undefined;
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || typeof value === "number") return String(value);
  return undefined;
}

function exactly(wanted: string): Matcher {
  // An empty wish would be met by an empty claim.
  return { expected: wanted, matches: (value) => wanted !== "" && value === wanted };
}

function oneOf(wanted: readonly string[]): Matcher {
  return {
    expected: wanted.join(" or "),
    matches: (value) => value !== "" && wanted.includes(value),
  };
}

/** The whole text must match: alternatives cannot slip out of the anchors. */
function pattern(text: string): Matcher {
  const compiled = RE2JS.compile(`^(?:${text})$`);
  return { expected: `/${text}/`, matches: (value) => compiled.matches(value) };
}
