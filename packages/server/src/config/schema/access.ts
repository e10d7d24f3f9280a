import { endpointProblem, googleIdProblem, numberBetween, oneOf } from "../parse.ts";
import type { SettingTable } from "./setting.ts";

/** Access: who may do what, and the token services of others. */
export const ACCESS = {
  rootGroups: {
    default: "anyone",
    value: "WHO",
    help: "Who may create organizations: anyone with a token, or operator.",
    problem: oneOf("anyone", "operator"),
  },
  corsOrigins: {
    default: "",
    value: "ORIGINS",
    help: "Web origins that may call the API from browsers, separated by commas.",
  },
  audiences: {
    default: "",
    value: "LIST",
    help: "Further audiences that tokens can be exchanged for, separated by commas.",
  },
  rs256Audiences: {
    default: "",
    value: "LIST",
    help: "Audiences whose tokens are signed with RS256 instead of ES256, separated by commas.",
  },
  trustedIssuers: {
    default: "",
    value: "URLS",
    help: "If set, only tokens of these issuers are trusted, whatever identities accept.",
  },
  deniedIssuers: {
    default: "",
    value: "URLS",
    help: "Denylist of issuers, whose tokens are always rejected.",
  },
  privateIssuers: {
    default: "",
    value: "URLS",
    help: "Issuers that may be fetched without TLS and from addresses that are not public.",
  },
  awsStsEndpoint: {
    default: "https://sts.amazonaws.com",
    value: "URL",
    help: "AWS token service: verifies AWS identities, checks account associations.",
    problem: endpointProblem,
  },
  awsRole: {
    default: "wharf",
    value: "NAME",
    help: "Role in AWS accounts that trusts Wharf.",
    problem: (text) =>
      /^[\w+=,.@/-]{1,512}$/.test(text) ? undefined : "must be the name of a role, with its path",
  },
  googleStsEndpoint: {
    default: "https://sts.googleapis.com",
    value: "URL",
    help: "Google token service: checks account associations.",
    problem: endpointProblem,
  },
  googlePool: {
    default: "wharf",
    value: "ID",
    help: "Workload identity pool in Google projects that trusts Wharf.",
    problem: googleIdProblem,
  },
  googleProvider: {
    default: "wharf",
    value: "ID",
    help: "Provider in that pool.",
    problem: googleIdProblem,
  },
  azureLoginEndpoint: {
    default: "https://login.microsoftonline.com",
    value: "URL",
    help: "Azure token service: checks account associations.",
    problem: endpointProblem,
  },
  sessionDays: {
    default: "30",
    value: "DAYS",
    help: "Maximum lifetime of a session, from 1 to 365 days.",
    problem: numberBetween(1, 365),
  },
} satisfies SettingTable;
