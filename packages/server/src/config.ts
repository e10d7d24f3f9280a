import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { DISTRIBUTIONS } from "@wharf/advisories/distributions";
import { LOG_LEVELS } from "./observe/logger.ts";
import {
  dateProblem,
  endpointProblem,
  googleIdProblem,
  hostProblem,
  isHeaderUrl,
  list,
  parseListen,
  readRegistryUrl,
  registryUrlProblem,
  splitOnce,
  timeOf,
  urlProblem,
  withoutSlash,
} from "./setting-values.ts";

/**
 * Every setting, once: its flag, its variable, its place in the config file, what it means and what
 * is accepted. Flags win over variables, variables over the file, the file over the default.
 */
export interface Settings {
  readonly listen: { readonly host: string; readonly port: number };
  readonly data: string;
  readonly databaseUrl: string;
  /** Empty for the file beside the embedded database, or a key in PostgreSQL. */
  readonly secretKeyFile: string;
  /** Empty until the port is known: see addresses.ts. */
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly registryHost: string;
  readonly registries: readonly string[];
  /** The registries that we look into, by their hosts. */
  readonly registryUrls: ReadonlyMap<string, string>;
  /** 0 for never. */
  readonly reconcileMinutes: number;
  readonly errorDomain: string;
  readonly tlsCert: string;
  readonly tlsKey: string;
  readonly rootGroups: "anyone" | "operator";
  readonly corsOrigins: readonly string[];
  readonly audiences: readonly string[];
  readonly trustedIssuers: readonly string[];
  readonly deniedIssuers: readonly string[];
  readonly privateIssuers: readonly string[];
  readonly awsStsEndpoint: string;
  readonly sessionDays: number;
  readonly localAccounts: boolean;
  readonly awsRole: string;
  readonly googleStsEndpoint: string;
  readonly googlePool: string;
  readonly googleProvider: string;
  readonly azureLoginEndpoint: string;
  readonly scimWritesPerMinute: number;
  /** Milliseconds since 1970; 0 while version 1 is not deprecated. */
  readonly v1Deprecation: number;
  /** Milliseconds since 1970; 0 while there is no such day. */
  readonly v1Sunset: number;
  readonly v1Guide: string;
  /** By the ID of their os-release. */
  readonly feedDistributions: readonly [string, ...string[]];
  readonly logLevel: string;
}

export type SettingName = keyof Settings;

interface Setting {
  readonly default: string;
  readonly help: string;
  /** Shown in place of the value in help texts. */
  readonly value: string;
  /** What is wrong with a value, if anything. */
  readonly problem?: (text: string) => string | undefined;
}

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
    help: "32 random bytes that seal stored secrets. Default: DIR/secret.key, or kept in PostgreSQL.",
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
    problem: (text) => (/^[1-9]\d{0,6}$/.test(text) ? undefined : "must be a number above zero"),
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

/** A setting that cannot be used; the message is for whoever starts the program. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/**
 * @example flagOf("databaseUrl") // "--database-url"
 */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/**
 * @example variableOf("databaseUrl") // "WHARF_DATABASE_URL"
 */
export function variableOf(name: string): string {
  return `WHARF_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/**
 * Reads the settings from a command line and its environment.
 *
 * @example const settings = await readSettings(["--listen", "0.0.0.0:8080"], process.env);
 */
export async function readSettings(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Settings> {
  const { config, ...flags } = readFlags(args);
  const file = config ?? environment.WHARF_CONFIG;
  const fromFile = file === undefined ? {} : await readFile(file);
  const texts = {} as Record<SettingName, string>;
  for (const name of Object.keys(SETTINGS) as SettingName[]) {
    const text =
      flags[name] ?? environment[variableOf(name)] ?? fromFile[name] ?? SETTINGS[name].default;
    const problem = SETTINGS[name].problem?.(text);
    if (problem !== undefined) throw new ConfigError(`${flagOf(name)} ${problem}`);
    texts[name] = text;
  }
  return settle(texts);
}

function settle(texts: Record<SettingName, string>): Settings {
  const listen = parseListen(texts.listen) as { host: string; port: number };
  if ((texts.tlsCert === "") !== (texts.tlsKey === "")) {
    throw new ConfigError("--tls-cert and --tls-key belong together");
  }
  const v1Deprecation = timeOf(texts.v1Deprecation);
  const v1Sunset = timeOf(texts.v1Sunset);
  if (v1Sunset !== 0 && (v1Deprecation === 0 || v1Sunset <= v1Deprecation)) {
    throw new ConfigError("--v1-sunset must be later than --v1-deprecation");
  }
  return {
    ...texts,
    v1Deprecation,
    v1Sunset,
    listen,
    data: resolve(texts.data),
    secretKeyFile: texts.secretKeyFile && resolve(texts.secretKeyFile),
    baseUrl: withoutSlash(texts.baseUrl),
    authUrl: withoutSlash(texts.authUrl),
    sessionDays: Number(texts.sessionDays),
    localAccounts: texts.localAccounts === "on",
    awsStsEndpoint: withoutSlash(texts.awsStsEndpoint),
    googleStsEndpoint: withoutSlash(texts.googleStsEndpoint),
    azureLoginEndpoint: withoutSlash(texts.azureLoginEndpoint),
    rootGroups: texts.rootGroups as Settings["rootGroups"],
    corsOrigins: list(texts.corsOrigins),
    audiences: list(texts.audiences),
    registries: list(texts.registries),
    registryUrls: new Map(list(texts.registryUrls).map(readRegistryUrl)),
    reconcileMinutes: Number(texts.reconcileMinutes),
    trustedIssuers: list(texts.trustedIssuers),
    deniedIssuers: list(texts.deniedIssuers),
    privateIssuers: list(texts.privateIssuers),
    scimWritesPerMinute: Number(texts.scimWritesPerMinute),
    feedDistributions: [...new Set(list(texts.feedDistributions))] as [string, ...string[]],
  };
}

function readFlags(args: readonly string[]): Record<string, string> {
  const names = new Map(["config", ...Object.keys(SETTINGS)].map((name) => [flagOf(name), name]));
  const flags: Record<string, string> = {};
  for (let at = 0; at < args.length; at++) {
    const [flag, inline] = splitOnce(args[at] as string, "=");
    const name = names.get(flag);
    if (name === undefined)
      throw new ConfigError(`unknown option ${args[at]}: --help lists those that there are`);
    const value = inline ?? args[++at];
    if (value === undefined) throw new ConfigError(`${flag} needs a value`);
    flags[name] = value;
  }
  return flags;
}

async function readFile(path: string): Promise<Partial<Record<SettingName, string>>> {
  const { parse } = await import("yaml");
  let content: unknown;
  try {
    content = parse(readFileSync(path, "utf8")) ?? {};
  } catch (error) {
    throw new ConfigError(`${path} cannot be read: ${(error as Error).message}`);
  }
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw new ConfigError(`${path} must hold settings by name`);
  }
  const entries = Object.entries(content).map(([name, value]) => {
    if (!Object.hasOwn(SETTINGS, name)) throw new ConfigError(`${path}: unknown setting ${name}`);
    if (typeof value === "object" && !Array.isArray(value))
      throw new ConfigError(`${path}: ${name} must be a text`);
    return [name, String(value)];
  });
  return Object.fromEntries(entries);
}
