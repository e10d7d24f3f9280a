import { DISTRIBUTIONS } from "@wharf/advisories/distributions";
import { LOG_LEVELS } from "../observe/logger.ts";
import {
  countProblem,
  dateProblem,
  daysProblem,
  endpointProblem,
  googleIdProblem,
  hostProblem,
  isHeaderUrl,
  list,
  parseListen,
  proxyProblem,
  registryUrlProblem,
  urlProblem,
} from "./parse.ts";
import type { Settings } from "./settings.ts";

export type SettingName = keyof Settings;

interface Setting {
  readonly default: string;
  readonly help: string;
  /** Shown in place of the value in help texts. */
  readonly value: string;
  /** What is wrong with a value, if anything. */
  readonly problem?: (text: string) => string | undefined;
}

/**
 * Every setting, once: its flag, its variable, its place in the config file, what it means and what
 * is accepted.
 */
export const SETTINGS: Readonly<Record<SettingName, Setting>> = {
  listen: {
    default: "127.0.0.1:8080",
    value: "HOST:PORT",
    help: "Where to listen. Only this machine can reach the default.",
    problem: (text) =>
      parseListen(text) ? undefined : "must be HOST:PORT, such as 127.0.0.1:8080",
  },
  data: {
    default: "./data",
    value: "DIR",
    help: "Where the embedded database is kept. Readable by the service's user alone.",
  },
  databaseUrl: {
    default: "",
    value: "URL",
    help: "A PostgreSQL database, for several replicas. Replaces the embedded one.",
    problem: (text) =>
      /^postgres(ql)?:\/\//.test(text) || text === "" ? undefined : "must begin with postgres://",
  },
  secretKeyFile: {
    default: "",
    value: "FILE",
    help: "32 random bytes that seal stored keys and secrets. Default: DIR/secret.key, or kept in PostgreSQL.",
  },
  baseUrl: {
    default: "",
    value: "URL",
    help: "The address that clients use: the audience of tokens. Default: from listen.",
    problem: urlProblem,
  },
  authUrl: {
    default: "",
    value: "URL",
    help: "The issuer of tokens. Default: the base URL.",
    problem: urlProblem,
  },
  registryHost: {
    default: "",
    value: "HOST",
    help: "The host of the registry: the audience of tokens for it.",
    problem: (text) => (text === "" ? undefined : hostProblem(text)),
  },
  registries: {
    default: "",
    value: "HOSTS",
    help: "Hosts of further registries that tokens are given for, separated by commas.",
    problem: (text) => list(text).map(hostProblem).find(Boolean),
  },
  registryUrls: {
    default: "",
    value: "HOST=URL,…",
    help: "Registries to keep track of, and where this server reaches each of them.",
    problem: (text) => list(text).map(registryUrlProblem).find(Boolean),
  },
  reconcileMinutes: {
    default: "15",
    value: "MINUTES",
    help: "How often to look through those registries for what notifications missed; 0 for only on demand.",
    problem: (text) => (/^\d{1,5}$/.test(text) ? undefined : "must be a number of minutes"),
  },
  errorDomain: {
    default: "iam.wharf.internal",
    value: "DOMAIN",
    help: "The domain in the details of errors.",
  },
  tlsCert: {
    default: "",
    value: "FILE",
    help: "A PEM certificate chain. With it, only TLS is spoken.",
  },
  tlsKey: { default: "", value: "FILE", help: "The certificate's PEM private key." },
  trustedProxies: {
    default: "",
    value: "RANGES",
    help: "Proxies in front of the server, whose X-Forwarded-For counts: addresses or ranges, separated by commas.",
    problem: (text) => list(text).map(proxyProblem).find(Boolean),
  },
  maxConnections: {
    default: "10000",
    value: "NUMBER",
    help: "Open connections at most; beyond, the address with the most gives up its idlest one.",
    problem: countProblem,
  },
  maxConnectionsPerAddress: {
    default: "1000",
    value: "NUMBER",
    help: "Open connections of one client address (IPv6: of one /64), unless it is a trusted proxy's.",
    problem: countProblem,
  },
  maxBodyMemory: {
    default: "256",
    value: "MIB",
    help: "Memory for request bodies above 64 KiB, in MiB; requests beyond it get 503 with Retry-After.",
    problem: (text) =>
      /^\d{1,6}$/.test(text) && Number(text) >= 16 ? undefined : "must be a number of MiB from 16",
  },
  rootGroups: {
    default: "anyone",
    value: "WHO",
    help: "Who may create organisations: anyone who has a token, or operator.",
    problem: (text) =>
      text === "anyone" || text === "operator" ? undefined : "must be anyone or operator",
  },
  corsOrigins: {
    default: "",
    value: "ORIGINS",
    help: "Web origins that may call, separated by commas.",
  },
  audiences: {
    default: "",
    value: "LIST",
    help: "Further audiences that tokens can be exchanged for, separated by commas.",
  },
  trustedIssuers: {
    default: "",
    value: "URLS",
    help: "When given, tokens of no other issuers are trusted, whatever identities say.",
  },
  deniedIssuers: {
    default: "",
    value: "URLS",
    help: "Issuers whose tokens are never trusted.",
  },
  privateIssuers: {
    default: "",
    value: "URLS",
    help: "Issuers that may be reached without TLS and at addresses that are not public.",
  },
  awsStsEndpoint: {
    default: "https://sts.amazonaws.com",
    value: "URL",
    help: "AWS's token service: verifies AWS identities, checks account associations.",
    problem: endpointProblem,
  },
  awsRole: {
    default: "wharf",
    value: "NAME",
    help: "The role that AWS accounts keep for us.",
    problem: (text) =>
      /^[\w+=,.@/-]{1,512}$/.test(text) ? undefined : "must be the name of a role, path included",
  },
  googleStsEndpoint: {
    default: "https://sts.googleapis.com",
    value: "URL",
    help: "Google's token service: checks account associations.",
    problem: endpointProblem,
  },
  googlePool: {
    default: "wharf",
    value: "ID",
    help: "The workload identity pool that Google projects keep for us.",
    problem: googleIdProblem,
  },
  googleProvider: {
    default: "wharf",
    value: "ID",
    help: "The provider in that pool that trusts us.",
    problem: googleIdProblem,
  },
  azureLoginEndpoint: {
    default: "https://login.microsoftonline.com",
    value: "URL",
    help: "Azure's token service: checks account associations.",
    problem: endpointProblem,
  },
  sessionDays: {
    default: "30",
    value: "DAYS",
    help: "How long people stay logged in at most, from 1 to 365 days.",
    problem: (text) =>
      /^[1-9][0-9]{0,2}$/.test(text) && Number(text) <= 365
        ? undefined
        : "must be a number from 1 to 365",
  },
  auditRetentionDays: {
    default: "400",
    value: "DAYS",
    help: "How long entries of the audit log are kept; 0 for ever.",
    problem: daysProblem,
  },
  eventRetentionDays: {
    default: "30",
    value: "DAYS",
    help: "How long events are kept; 0 for ever.",
    problem: daysProblem,
  },
  localAccounts: {
    default: "on",
    value: "on|off",
    help: "Whether people may log in with a password or passkey kept here.",
    problem: (text) => (text === "on" || text === "off" ? undefined : "must be on or off"),
  },
  scimWritesPerMinute: {
    default: "3000",
    value: "NUMBER",
    help: "How many users and groups one identity provider may change in a minute.",
    problem: countProblem,
  },
  v1Deprecation: {
    default: "",
    value: "DATE",
    help: "Since when version 1 of the API is deprecated; its answers then say so, and calls are counted.",
    problem: dateProblem,
  },
  v1Sunset: {
    default: "",
    value: "DATE",
    help: "From when version 1 may no longer be there; its answers then say so, too.",
    problem: dateProblem,
  },
  v1Guide: {
    default: "",
    value: "URL",
    help: "Where your users read how to move on from version 1; those answers link to it.",
    problem: (text) =>
      text === "" || isHeaderUrl(text) ? undefined : "must be an http or https URL",
  },
  feedDistributions: {
    default: "wolfi",
    value: "IDS",
    help: `The distributions whose packages published advisories are about: ${DISTRIBUTIONS.join(", ")}.`,
    problem: (text) =>
      list(text).length > 0 && list(text).every((id) => DISTRIBUTIONS.includes(id))
        ? undefined
        : `must be some of ${DISTRIBUTIONS.join(", ")}, separated by commas`,
  },
  logLevel: {
    default: "info",
    value: "LEVEL",
    help: `How much to log: ${LOG_LEVELS.join(", ")}.`,
    problem: (text) =>
      LOG_LEVELS.some((level) => level === text)
        ? undefined
        : `must be one of ${LOG_LEVELS.join(", ")}`,
  },
};

export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export function variableOf(name: string): string {
  return `WHARF_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}
