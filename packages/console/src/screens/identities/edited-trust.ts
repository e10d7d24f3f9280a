import type { IdentityJson } from "@wharf/contract/messages";
import { readClaims } from "@wharf/trust";
import { sentence } from "../../texts/sentence.ts";
import { kindOf } from "./trust.ts";

/** Fields that are either a value or a pattern. */
export type Either = "issuer" | "subject" | "audience" | "arn" | "userId";

type Text = (name: string) => string;

/**
 * The relationship of an identity with the values of its form, and the name of its field in the update mask.
 *
 * @example editedTrust(identity, text) // ["claim_match", { claimMatch: { … } }]
 */
export function editedTrust(identity: IdentityJson, text: Text): [string, Partial<IdentityJson>] {
  switch (kindOf(identity)) {
    case "claimMatch": {
      const claimMatch = {
        ...eitherOf(text, ["issuer", "subject", "audience"]),
        claims: claimsOf(text("claims")),
        claimPatterns: claimsOf(text("claimPatterns")),
      };
      return ["claim_match", { claimMatch }];
    }
    case "pullToken":
    case "staticKeys": {
      const staticKeys = {
        issuer: text("issuer"),
        subject: text("subject"),
        issuerKeys: text("issuerKeys"),
        ...(text("audience") && { audiences: [text("audience")] }),
        ...expirationOf(identity.staticKeys?.expirationTime, text("expirationTime")),
      };
      return ["static_keys", { staticKeys }];
    }
    case "awsIdentity": {
      const awsIdentity = { awsAccount: text("awsAccount"), ...eitherOf(text, ["arn", "userId"]) };
      return ["aws_identity", { awsIdentity }];
    }
    default:
      return ["", {}];
  }
}

/** The values and patterns that the form has; empty ones are left out. */
function eitherOf(text: Text, fields: readonly Either[]): Record<string, string> {
  const names = fields.flatMap((field) => [field, `${field}Pattern`]);
  return Object.fromEntries(names.map((name) => [name, text(name)]).filter(([, value]) => value));
}

/** The expiration at a day; the exact time stays if the day does. */
function expirationOf(before: string | undefined, day: string): { expirationTime?: string } {
  if (day === "") return {};
  return { expirationTime: before?.slice(0, 10) === day ? before : `${day}T00:00:00Z` };
}

/** Claims by name. A malformed line is an error: without its claim, more tokens would be trusted. */
function claimsOf(lines: string): Record<string, string> {
  const { claims, problem } = readClaims(lines);
  if (problem !== undefined) throw new Error(sentence(problem));
  return claims;
}

/** The problem of lines of claims; undefined if they are valid. */
export function claimsProblem(lines: string): string | undefined {
  const { problem } = readClaims(lines);
  return problem && sentence(problem);
}

/** Claims as the lines of a text area. */
export function claimLines(claims: Record<string, string> | undefined): string {
  return Object.entries(claims ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .join("\n");
}
