import { ISSUER_URL, isIssuerUrl } from "./issuer-url.ts";
import { jwksProblem } from "./key-set.ts";
import { type Field, field, quoted, type Relationship, type Values } from "./platform.ts";

const ISSUER_EXPECTED = `${ISSUER_URL}, such as https://ci.example.com`;

export const ISSUER: Field = {
  expected: ISSUER_EXPECTED,
  example: "https://ci.example.com",
  problem: (text) =>
    isIssuerUrl(text) ? undefined : `must be ${ISSUER_EXPECTED}, not ${quoted(text)}`,
};

export const KEYS: Field = {
  expected: "a JSON Web Key Set with the public keys of the issuer",
  example: "{}",
  problem: jwksProblem,
};

export const AUDIENCE: Field = field("the aud claim of the tokens", "", /\S/);

/** A date, or a time as in RFC 3339. */
export const EXPIRATION: Field = field(
  "a date or a time, such as 2027-01-31",
  "",
  /^\d{4}-\d\d-\d\d(T\S+)?$/,
);

/** A host, with a port if it has one. */
export const HOST = (example: string): Field =>
  field(
    `a host name without https://, such as ${example}`,
    example,
    /^[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?$/i,
  );

/** A ref that git accepts: wildcards, for example, are none. */
export const GIT_REF = /^(?![-/])(?!.*(?:\.\.|\/\/|@\{|\/$|\.$|\.lock$))[^\s\p{Cc}~^:?*[\\]+$/u;

export function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.|?*+()[\]{}]/g, "\\$&");
}

/** A name from words: `nameFrom("github", "Acme/App")` is `github-acme-app`. */
export function nameFrom(...words: readonly string[]): string {
  const text = words.join("-").toLowerCase();
  return text.replaceAll(/[^a-z0-9._-]+/g, "-").slice(0, 255);
}

/** Tokens of one subject, verified with the entered keys or with those that the issuer publishes. */
export function subjectMatch(issuer: string, subject: string, values: Values): Relationship {
  const { issuerKeys, expiration, audience } = values;
  if (!issuerKeys) return { claimMatch: { issuer, subject, ...(audience && { audience }) } };
  const time = expiration?.includes("T") ? expiration : `${expiration}T00:00:00Z`;
  return {
    staticKeys: {
      ...{ issuer, subject, issuerKeys },
      ...(audience && { audiences: [audience] }),
      ...(expiration && { expirationTime: time }),
    },
  };
}
