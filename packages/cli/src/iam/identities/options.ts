import type { Options } from "../../command/definition.ts";

/** Options that say which tokens an identity trusts. */
export const TRUST = {
  issuer: { type: "string", value: "URL", summary: "Issuer (iss) of the token" },
  "issuer-pattern": { type: "string", value: "REGEX", summary: "RE2 pattern for the issuer" },
  subject: { type: "string", summary: "Subject (sub) of the token" },
  "subject-pattern": {
    type: "string",
    value: "REGEX",
    summary: "RE2 pattern for the whole subject",
  },
  audience: {
    type: "string",
    summary: "Audience (aud) of the token (default: the host of this server's issuer URL)",
  },
  "audience-pattern": { type: "string", value: "REGEX", summary: "RE2 pattern for the audience" },
  claim: {
    type: "list",
    repeatOnly: true,
    value: "NAME=VALUE",
    summary: "Another claim that the token must have",
  },
  "claim-pattern": {
    type: "list",
    repeatOnly: true,
    value: "NAME=REGEX",
    summary: "RE2 pattern for another claim",
  },
  "issuer-keys": {
    type: "file",
    summary: "JSON Web Key Set of an issuer that the server cannot reach",
  },
  expiration: {
    type: "string",
    value: "TIME",
    summary: "When trust in the keys expires: a time or a duration (maximum: one year)",
  },
  "aws-account": { type: "string", value: "ACCOUNT", summary: "AWS account ID (12 digits)" },
  arn: { type: "string", summary: "ARN returned by AWS GetCallerIdentity" },
  "arn-pattern": { type: "string", value: "REGEX", summary: "RE2 pattern for the ARN" },
  "user-id": { type: "string", value: "ID", summary: "User ID returned by AWS GetCallerIdentity" },
  "user-id-pattern": { type: "string", value: "REGEX", summary: "RE2 pattern for the user ID" },
  "service-principal": {
    type: "string",
    value: "SERVICE",
    summary: "Service of this installation, such as CATALOG_SYNCER",
  },
} as const satisfies Options;
