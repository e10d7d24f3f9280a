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
  /** The placeholder of the value in help texts. */
  readonly value: string;
  /** Why a value is invalid; undefined if it is valid. */
  readonly problem?: (text: string) => string | undefined;
}

/** The table of settings. Flags, environment variables, keys of the config file and help follow from it. */
export const SETTINGS: Readonly<Record<SettingName, Setting>> = {
  listen: {
    default: "127.0.0.1:8080",
    value: "HOST:PORT",
    help: "Address to listen on. The default is reachable from this machine only.",
    problem: (text) =>
      parseListen(text) ? undefined : "must be HOST:PORT, such as 127.0.0.1:8080",
  },
  data: {
    default: "./data",
    value: "DIR",
    help: "Directory of the embedded database. Readable by the service user only.",
  },
  databaseUrl: {
    default: "",
    value: "URL",
    help: "PostgreSQL database, for several replicas. Replaces the embedded database.",
    problem: (text) =>
      /^postgres(ql)?:\/\//.test(text) || text === "" ? undefined : "must begin with postgres://",
  },
  secretKeyFile: {
    default: "",
    value: "FILE",
    help: "File with 32 random bytes that encrypt stored keys and secrets. Default: DIR/secret.key, or stored in PostgreSQL.",
  },
  baseUrl: {
    default: "",
    value: "URL",
    help: "URL that clients use: the audience of tokens. Default: derived from listen.",
    problem: urlProblem,
  },
  authUrl: {
    default: "",
    value: "URL",
    help: "Issuer of tokens. Default: the base URL.",
    problem: urlProblem,
  },
  registryHost: {
    default: "",
    value: "HOST",
    help: "Host of the registry: the audience of its tokens.",
    problem: (text) => (text === "" ? undefined : hostProblem(text)),
  },
  registries: {
    default: "",
    value: "HOSTS",
    help: "Hosts of further registries that tokens are issued for, separated by commas.",
    problem: (text) => list(text).map(hostProblem).find(Boolean),
  },
  registryUrls: {
    default: "",
    value: "HOST=URL,…",
    help: "Attached registries, with the URL where this server reaches each of them.",
    problem: (text) => list(text).map(registryUrlProblem).find(Boolean),
  },
  reconcileMinutes: {
    default: "15",
    value: "MINUTES",
    help: "Interval of reconcile passes over attached registries, which repair missed notifications; 0: only on demand.",
    problem: (text) => (/^\d{1,5}$/.test(text) ? undefined : "must be a number of minutes"),
  },
  errorDomain: {
    default: "iam.wharf.internal",
    value: "DOMAIN",
    help: "Domain in error details.",
  },
  tlsCert: {
    default: "",
    value: "FILE",
    help: "PEM certificate chain. Enables TLS and disables plain text.",
  },
  tlsKey: { default: "", value: "FILE", help: "PEM private key of the certificate." },
  trustedProxies: {
    default: "",
    value: "RANGES",
    help: "Proxies whose X-Forwarded-For header is trusted: addresses or CIDR ranges, separated by commas.",
    problem: (text) => list(text).map(proxyProblem).find(Boolean),
  },
  maxConnections: {
    default: "10000",
    value: "NUMBER",
    help: "Maximum of open connections; beyond it, the address with the most loses its longest idle one.",
    problem: countProblem,
  },
  maxConnectionsPerAddress: {
    default: "1000",
    value: "NUMBER",
    help: "Maximum of open connections of one client address (IPv6: /64), except trusted proxies.",
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
    help: "Who may create organizations: anyone with a token, or operator.",
    problem: (text) =>
      text === "anyone" || text === "operator" ? undefined : "must be anyone or operator",
  },
  corsOrigins: {
    default: "",
    value: "ORIGINS",
    help: "Web origins allowed to call the API (CORS), separated by commas.",
  },
  audiences: {
    default: "",
    value: "LIST",
    help: "Further audiences that tokens can be exchanged for, separated by commas.",
  },
  trustedIssuers: {
    default: "",
    value: "URLS",
    help: "Allowlist of issuers: tokens of any other issuer are rejected, even if an identity trusts it.",
  },
  deniedIssuers: {
    default: "",
    value: "URLS",
    help: "Denylist of issuers, whose tokens are always rejected.",
  },
  privateIssuers: {
    default: "",
    value: "URLS",
    help: "Issuers that may be reached without TLS and at private addresses.",
  },
  awsStsEndpoint: {
    default: "https://sts.amazonaws.com",
    value: "URL",
    help: "AWS STS endpoint: verifies AWS identities and checks account associations.",
    problem: endpointProblem,
  },
  awsRole: {
    default: "wharf",
    value: "NAME",
    help: "Role in AWS accounts that this server assumes.",
    problem: (text) =>
      /^[\w+=,.@/-]{1,512}$/.test(text) ? undefined : "must be the name of a role, path included",
  },
  googleStsEndpoint: {
    default: "https://sts.googleapis.com",
    value: "URL",
    help: "Google STS endpoint: checks account associations.",
    problem: endpointProblem,
  },
  googlePool: {
    default: "wharf",
    value: "ID",
    help: "Workload identity pool in Google Cloud projects that trusts this server.",
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
    help: "Microsoft Entra ID endpoint: checks account associations.",
    problem: endpointProblem,
  },
  sessionDays: {
    default: "30",
    value: "DAYS",
    help: "Maximum lifetime of sessions in days, from 1 to 365.",
    problem: (text) =>
      /^[1-9][0-9]{0,2}$/.test(text) && Number(text) <= 365
        ? undefined
        : "must be a number from 1 to 365",
  },
  auditRetentionDays: {
    default: "400",
    value: "DAYS",
    help: "Retention of the audit log in days; 0: forever.",
    problem: daysProblem,
  },
  eventRetentionDays: {
    default: "30",
    value: "DAYS",
    help: "Retention of events in days; 0: forever.",
    problem: daysProblem,
  },
  localAccounts: {
    default: "on",
    value: "on|off",
    help: "Whether people can sign in with a local password or passkey.",
    problem: (text) => (text === "on" || text === "off" ? undefined : "must be on or off"),
  },
  scimWritesPerMinute: {
    default: "3000",
    value: "NUMBER",
    help: "Rate limit of SCIM writes per identity provider: users and groups per minute.",
    problem: countProblem,
  },
  v1Deprecation: {
    default: "",
    value: "DATE",
    help: "Date since which API version 1 is deprecated: responses carry a Deprecation header, and calls are counted.",
    problem: dateProblem,
  },
  v1Sunset: {
    default: "",
    value: "DATE",
    help: "Date from which API version 1 may be removed: responses carry a Sunset header.",
    problem: dateProblem,
  },
  v1Guide: {
    default: "",
    value: "URL",
    help: "URL of your migration guide from API version 1; those responses link to it.",
    problem: (text) =>
      text === "" || isHeaderUrl(text) ? undefined : "must be an http or https URL",
  },
  feedDistributions: {
    default: "wolfi",
    value: "IDS",
    help: `Distributions whose packages the published advisories are about: ${DISTRIBUTIONS.join(", ")}.`,
    problem: (text) =>
      list(text).length > 0 && list(text).every((id) => DISTRIBUTIONS.includes(id))
        ? undefined
        : `must be some of ${DISTRIBUTIONS.join(", ")}, separated by commas`,
  },
  logLevel: {
    default: "info",
    value: "LEVEL",
    help: `Log level: ${LOG_LEVELS.join(", ")}.`,
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
