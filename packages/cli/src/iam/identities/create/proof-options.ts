import type { Options } from "../../../command/definition.ts";

/** Options that say how an identity proves itself. */
export const PROOF = {
  issuer: { type: "string", value: "URL", summary: "Who must have made the token" },
  "issuer-pattern": { type: "string", value: "REGEX", summary: "The same as an RE2 pattern" },
  subject: { type: "string", summary: "Whom the token must be about" },
  "subject-pattern": {
    type: "string",
    value: "REGEX",
    summary: "The same as an RE2 pattern, which must match the whole subject",
  },
  audience: {
    type: "string",
    summary: "Whom the token must be meant for, if not the host of our issuer",
  },
  "audience-pattern": { type: "string", value: "REGEX", summary: "The same as an RE2 pattern" },
  claim: {
    type: "list",
    repeatOnly: true,
    value: "NAME=VALUE",
    summary: "A further claim that the token must carry",
  },
  "claim-pattern": {
    type: "list",
    repeatOnly: true,
    value: "NAME=REGEX",
    summary: "A further claim that must match",
  },
  "issuer-keys": {
    type: "file",
    summary: "The issuer's keys (a JSON Web Key Set), for issuers that the server cannot reach",
  },
  expiration: {
    type: "string",
    value: "TIME",
    summary: "Until when the keys are trusted: a time, or a length of time; a year at most",
  },
  "aws-account": { type: "string", value: "ACCOUNT", summary: "The account at AWS: twelve digits" },
  arn: { type: "string", summary: "The ARN that AWS must answer" },
  "arn-pattern": { type: "string", value: "REGEX", summary: "The same as an RE2 pattern" },
  "user-id": { type: "string", value: "ID", summary: "The user id that AWS must answer" },
  "user-id-pattern": { type: "string", value: "REGEX", summary: "The same as an RE2 pattern" },
  "service-principal": {
    type: "string",
    value: "SERVICE",
    summary: "A service of the installation itself, such as CATALOG_SYNCER",
  },
} as const satisfies Options;
