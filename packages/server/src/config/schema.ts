import { DISTRIBUTIONS } from "@wharf/advisories/distributions";
import { readRecipient } from "../lib/age/keys.ts";
import { parseCron } from "../lib/cron.ts";
import { LOG_LEVELS } from "../observe/logger.ts";
import { databaseUrlProblem } from "./database-url.ts";
import {
  auditSinksProblem,
  countProblem,
  dateProblem,
  daysProblem,
  endpointProblem,
  googleIdProblem,
  hostProblem,
  isHeaderUrl,
  list,
  numberBetween,
  oneOf,
  parseListen,
  proxyProblem,
  registryUrlProblem,
  urlProblem,
} from "./parse.ts";
import type { Settings } from "./settings.ts";
import { MAX_WORKERS } from "./workers.ts";

export type SettingName = keyof Settings;

/** In MiB: one address gets nearly a quarter of it, which must hold the longest message. */
export const MIN_BODY_MEMORY = 32;

interface Setting {
  readonly default: string;
  readonly help: string;
  /** The placeholder of the value in help texts. */
  readonly value: string;
  /** A variable that programs of all makers know; our own one precedes it. */
  readonly sharedVariable?: string;
  /** Why a value is invalid; undefined if it is valid. */
  readonly problem?: (text: string) => string | undefined;
}

/** The table of settings. Flags, environment variables, keys of the config file and help follow from it. */
export const SETTINGS: Readonly<Record<SettingName, Setting>> = {
  listen: {
    default: "127.0.0.1:8080",
    value: "HOST:PORT",
    help: "Listen address. The default is reachable from this machine only.",
    problem: (text) =>
      parseListen(text) ? undefined : "must be HOST:PORT, such as 127.0.0.1:8080",
  },
  data: {
    default: "./data",
    value: "DIR",
    help: "Directory of the embedded database, readable by the service's user only.",
  },
  databaseUrl: {
    default: "",
    value: "URL",
    help: "PostgreSQL database, for several replicas, instead of the embedded one.",
    problem: databaseUrlProblem,
  },
  secretKeyFile: {
    default: "",
    value: "FILE",
    help: "32 random bytes that seal stored keys and secrets. Default: DIR/secret.key, or a row in PostgreSQL.",
  },
  baseUrl: {
    default: "",
    value: "URL",
    help: "Address that clients use, and audience of tokens. Default: from listen.",
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
    help: "Host of the registry, and audience of tokens for it.",
    problem: (text) => (text === "" ? undefined : hostProblem(text)),
  },
  registryStorage: {
    default: "",
    value: "DIR|off",
    help: "Folder of the registry's content, which all replicas share. Default: DIR/registry. off: no registry.",
  },
  registryMinFree: {
    default: "1024",
    value: "MIB",
    help: "Free space of that folder's disk below which pushes are refused.",
    problem: (text) => (/^\d{1,9}$/.test(text) ? undefined : "must be a number of MiB"),
  },
  registryScrubRate: {
    default: "4",
    value: "MIB",
    help: "MiB per second at which stored content is read again to find damage. 0: never.",
    problem: (text) => (/^\d{1,6}$/.test(text) ? undefined : "must be a number of MiB"),
  },
  exposureLayers: {
    default: "on",
    value: "on|off",
    help: "Whether packages are read from layers of images without SBOM, in the registry of this server.",
    problem: (text) => (/^(on|off)$/.test(text) ? undefined : "must be on or off"),
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
    help: "Attached registries, and the URL at which the server reaches each.",
    problem: (text) => list(text).map(registryUrlProblem).find(Boolean),
  },
  reconcileMinutes: {
    default: "15",
    value: "MINUTES",
    help: "Interval of reconcile passes over attached registries; 0 for on demand only.",
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
    help: "PEM certificate chain. With it, the port speaks TLS only.",
  },
  tlsKey: { default: "", value: "FILE", help: "PEM private key of the certificate." },
  trustedProxies: {
    default: "",
    value: "RANGES",
    help: "Proxies in front of the server whose X-Forwarded-For is trusted: addresses or ranges, separated by commas.",
    problem: (text) => list(text).map(proxyProblem).find(Boolean),
  },
  maxConnections: {
    default: "10000",
    value: "NUMBER",
    help: "Maximum of open connections; beyond it, the idlest connection of the address with the most is closed.",
    problem: countProblem,
  },
  maxConnectionsPerAddress: {
    default: "1000",
    value: "NUMBER",
    help: "Maximum of open connections per client address (IPv6: per /64), except trusted proxies.",
    problem: countProblem,
  },
  maxBodyMemory: {
    default: "",
    value: "MIB",
    help: "Memory for all request bodies, in MiB; requests beyond it get 503 with Retry-After. Default: an eighth of the memory of the process, from 32 to 256.",
    problem: (text) =>
      text === "" || (/^\d{1,6}$/.test(text) && Number(text) >= MIN_BODY_MEMORY)
        ? undefined
        : `must be a number of MiB from ${MIN_BODY_MEMORY}`,
  },
  workers: {
    default: "",
    value: "NUMBER",
    help: "Processes that serve requests, on one port. Default: one per core beyond the first, at most 8 (4 with PostgreSQL), and one per 512 MiB of memory.",
    problem: (text) => (text === "" ? undefined : numberBetween(1, MAX_WORKERS)(text)),
  },
  shutdownDelay: {
    default: "3",
    value: "SECONDS",
    help: "How long the server keeps serving after SIGTERM while /readyz fails, so that balancers stop using it.",
    problem: numberBetween(0, 300, " of seconds"),
  },
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
  auditRetentionDays: {
    default: "400",
    value: "DAYS",
    help: "Retention of the audit log; 0 for ever.",
    problem: daysProblem,
  },
  auditSinks: {
    default: "",
    value: "URLS",
    help: "Where the audit log is sent: https://…, syslog+tls://… or file:///… URLs, separated by commas.",
    problem: auditSinksProblem,
  },
  auditSinkTokenFile: {
    default: "",
    value: "FILE",
    help: "Bearer token for https sinks of the audit log.",
  },
  eventRetentionDays: {
    default: "30",
    value: "DAYS",
    help: "Retention of events; 0 for ever.",
    problem: daysProblem,
  },
  privateSinks: {
    default: "",
    value: "URLS",
    help: "Origins that subscriptions may send events to, and vulnerability sources may read, without TLS and at addresses that are not public.",
    problem: (text) =>
      list(text).every((url) => /^https?:$/.test(URL.parse(url)?.protocol ?? ""))
        ? undefined
        : "must be http or https URLs, separated by commas",
  },
  eventTypePrefix: {
    default: "dev.chainguard",
    value: "PREFIX",
    help: "Beginning of the types of all events, by which existing receivers know them.",
    problem: (text) =>
      /^[a-z0-9]+(\.[a-z0-9-]+)*$/.test(text) ? undefined : "must be a reversed domain name",
  },
  backupSchedule: {
    default: "",
    value: "CRON",
    help: "When the server backs itself up, as five fields of cron in UTC, @hourly or @daily. Default: never.",
    problem: (text) =>
      text === "" || parseCron(text) !== undefined
        ? undefined
        : 'must be five fields of cron, such as "30 2 * * *", or @hourly, @daily or @weekly',
  },
  backupDir: {
    default: "",
    value: "DIR",
    help: "Directory for backups of the schedule, and of `wharf admin backup` without a file.",
  },
  backupKeep: {
    default: "7",
    value: "NUMBER",
    help: "Backups that are kept in that directory; older ones are deleted.",
    problem: countProblem,
  },
  backupRecipients: {
    default: "",
    value: "KEYS",
    help: "Public keys of age (age1…) that backups are encrypted for, separated by commas.",
    problem: (text) => {
      const other = list(text).find((key) => readRecipient(key) === undefined);
      return other === undefined ? undefined : `must be recipients of age; got ${other}`;
    },
  },
  backupPassphraseFile: {
    default: "",
    value: "FILE",
    help: "File with the passphrase that backups are encrypted with, instead of recipients.",
  },
  localAccounts: {
    default: "on",
    value: "on|off",
    help: "Whether people may sign in with a local password or passkey.",
    problem: oneOf("on", "off"),
  },
  scimWritesPerMinute: {
    default: "3000",
    value: "NUMBER",
    help: "SCIM writes per minute and identity provider.",
    problem: countProblem,
  },
  v1Deprecation: {
    default: "",
    value: "DATE",
    help: "Date from which version 1 of the API is deprecated; its responses then say so, and calls are counted.",
    problem: dateProblem,
  },
  v1Sunset: {
    default: "",
    value: "DATE",
    help: "Date from which version 1 may be removed; its responses then say so.",
    problem: dateProblem,
  },
  v1Guide: {
    default: "",
    value: "URL",
    help: "Migration guide for users of version 1; its responses link to it.",
    problem: (text) =>
      text === "" || isHeaderUrl(text) ? undefined : "must be an http or https URL",
  },
  feedDistributions: {
    default: "wolfi",
    value: "IDS",
    help: `Distributions of the packages in published advisories: ${DISTRIBUTIONS.join(", ")}.`,
    problem: (text) =>
      list(text).length > 0 && list(text).every((id) => DISTRIBUTIONS.includes(id))
        ? undefined
        : `must be some of ${DISTRIBUTIONS.join(", ")}, separated by commas`,
  },
  csafOpenpgpKey: {
    default: "",
    value: "FILE",
    help: "Armored OpenPGP private key, without passphrase, that signs CSAF documents of feeds. Default: no signatures.",
  },
  metricsListen: {
    default: "",
    value: "HOST:PORT",
    help: "Listen address for /metrics alone, which the main port then does not serve.",
    problem: (text) =>
      text === "" || parseListen(text) ? undefined : "must be HOST:PORT, such as 127.0.0.1:9090",
  },
  otlpEndpoint: {
    default: "",
    value: "URL",
    help: "Collector of OpenTelemetry that traces are sent to, by OTLP over HTTP. Default: no traces.",
    problem: (text) => (text === "" ? undefined : endpointProblem(text)),
    sharedVariable: "OTEL_EXPORTER_OTLP_ENDPOINT",
  },
  traceSampleRatio: {
    default: "1",
    value: "RATIO",
    help: "Share of requests without a trace of their own that are traced, from 0 to 1.",
    problem: (text) =>
      /^(0|1|0?\.\d{1,6}|1\.0*)$/.test(text) ? undefined : "must be a number from 0 to 1",
  },
  keyRotationDays: {
    default: "0",
    value: "DAYS",
    help: "Age at which the signing keys are rotated; 0 for never.",
    problem: daysProblem,
  },
  logFormat: {
    default: "auto",
    value: "FORMAT",
    help: "Format of log lines: json, text, or auto, which is text at a terminal.",
    problem: oneOf("auto", "json", "text"),
  },
  logLevel: {
    default: "info",
    value: "LEVEL",
    help: `Minimum level of log lines: ${LOG_LEVELS.join(", ")}.`,
    problem: oneOf(...LOG_LEVELS),
  },
};

export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export function variableOf(name: string): string {
  return `WHARF_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}
