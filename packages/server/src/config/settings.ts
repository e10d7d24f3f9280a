import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { memoryLimit } from "../lib/memory-limit.ts";
import { type AddressRange, readRange } from "../lib/net/address-range.ts";
import { list, parseListen, readRegistryUrl, splitOnce, timeOf, withoutSlash } from "./parse.ts";
import { MIN_BODY_MEMORY } from "./schema/network.ts";
import type { SettingName } from "./schema/setting.ts";
import { flagOf, SETTINGS, variableOf } from "./schema.ts";
import { defaultWorkers } from "./workers.ts";

/** The settings of the server, read and validated once at startup. */
export interface Settings {
  readonly listen: { readonly host: string; readonly port: number };
  readonly data: string;
  readonly databaseUrl: string;
  /** Empty: the file beside the embedded database, or a key in PostgreSQL. */
  readonly secretKeyFile: string;
  /** Empty until the port is known: see addresses.ts. */
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly registryHost: string;
  /** The folder of the registry's content; undefined if this server is no registry. */
  readonly registryStorage: string | undefined;
  /** In MiB. */
  readonly registryMinFree: number;
  /** In MiB per second; 0: off. */
  readonly registryScrubRate: number;
  /** 0: only on demand. */
  readonly registryGcMinutes: number;
  /** Whether packages are read from layers of images without SBOM. */
  readonly exposureLayers: boolean;
  readonly registries: readonly string[];
  /** URLs of the attached registries by host. */
  readonly registryUrls: ReadonlyMap<string, string>;
  /** 0: only on demand. */
  readonly reconcileMinutes: number;
  readonly errorDomain: string;
  readonly tlsCert: string;
  readonly tlsKey: string;
  /** The proxies whose X-Forwarded-For header is trusted. */
  readonly trustedProxies: readonly AddressRange[];
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  /** In MiB. */
  readonly maxBodyMemory: number;
  /** Processes that serve requests. */
  readonly workers: number;
  /** In seconds. */
  readonly shutdownDelay: number;
  readonly rootGroups: "anyone" | "operator";
  readonly corsOrigins: readonly string[];
  readonly audiences: readonly string[];
  /** A token is signed with RS256 if all of its audiences are here. */
  readonly rs256Audiences: readonly string[];
  readonly trustedIssuers: readonly string[];
  readonly deniedIssuers: readonly string[];
  readonly privateIssuers: readonly string[];
  readonly awsStsEndpoint: string;
  readonly sessionDays: number;
  /** 0: forever. */
  readonly auditRetentionDays: number;
  readonly auditSinks: readonly string[];
  readonly auditSinkTokenFile: string;
  /** 0: forever. */
  readonly eventRetentionDays: number;
  /** Sinks of subscriptions that may be reached without TLS and at private addresses. */
  readonly privateSinks: readonly string[];
  /** Before the types of all events. */
  readonly eventTypePrefix: string;
  /** Fields of cron; empty: never. */
  readonly backupSchedule: string;
  readonly backupDir: string;
  readonly backupKeep: number;
  readonly backupRecipients: readonly string[];
  readonly backupPassphraseFile: string;
  readonly localAccounts: boolean;
  readonly awsRole: string;
  readonly googleStsEndpoint: string;
  readonly googlePool: string;
  readonly googleProvider: string;
  readonly azureLoginEndpoint: string;
  readonly scimWritesPerMinute: number;
  /** Milliseconds since 1970; 0 while version 1 is not deprecated. */
  readonly v1Deprecation: number;
  /** Milliseconds since 1970; 0 without a date. */
  readonly v1Sunset: number;
  readonly v1Guide: string;
  /** IDs of their os-release files. */
  readonly feedDistributions: readonly [string, ...string[]];
  /** Empty: CSAF documents are not signed. */
  readonly csafOpenpgpKey: string;
  /** Undefined: /metrics is on the main port. */
  readonly metricsListen: { readonly host: string; readonly port: number } | undefined;
  /** Empty: no traces. */
  readonly otlpEndpoint: string;
  /** From 0 to 1. */
  readonly traceSampleRatio: number;
  /** 0: never. */
  readonly keyRotationDays: number;
  readonly logFormat: "auto" | "json" | "text";
  readonly logLevel: string;
}

/** An invalid setting or command line; the message is shown to the operator. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/**
 * Reads the settings. Flags take precedence over variables, variables over the file, the file over
 * defaults.
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
    const { sharedVariable = "" } = SETTINGS[name];
    const variable = environment[variableOf(name)] ?? environment[sharedVariable];
    const text = flags[name] ?? variable ?? fromFile[name] ?? SETTINGS[name].default;
    const problem = SETTINGS[name].problem?.(text);
    if (problem !== undefined) throw new ConfigError(`${flagOf(name)} ${problem}`);
    texts[name] = text;
  }
  return parsed(texts);
}

function parsed(texts: Record<SettingName, string>): Settings {
  const listen = parseListen(texts.listen) as { host: string; port: number };
  if ((texts.tlsCert === "") !== (texts.tlsKey === "")) {
    throw new ConfigError("--tls-cert and --tls-key must be given together");
  }
  const v1Deprecation = timeOf(texts.v1Deprecation);
  const v1Sunset = timeOf(texts.v1Sunset);
  if (v1Sunset !== 0 && (v1Deprecation === 0 || v1Sunset <= v1Deprecation)) {
    throw new ConfigError("--v1-sunset must be later than --v1-deprecation");
  }
  if (texts.backupRecipients !== "" && texts.backupPassphraseFile !== "")
    throw new ConfigError("--backup-recipients and --backup-passphrase-file exclude each other");
  if (texts.backupSchedule !== "") {
    if (texts.backupDir === "") throw new ConfigError("--backup-schedule needs --backup-dir");
    if (texts.backupRecipients === "" && texts.backupPassphraseFile === "")
      throw new ConfigError(
        "--backup-schedule needs --backup-recipients or --backup-passphrase-file: backups contain the secret key",
      );
  }
  return {
    ...texts,
    backupDir: texts.backupDir && resolve(texts.backupDir),
    backupKeep: Number(texts.backupKeep),
    backupRecipients: list(texts.backupRecipients),
    backupPassphraseFile: texts.backupPassphraseFile && resolve(texts.backupPassphraseFile),
    metricsListen: parseListen(texts.metricsListen),
    traceSampleRatio: Number(texts.traceSampleRatio),
    keyRotationDays: Number(texts.keyRotationDays),
    logFormat: texts.logFormat as Settings["logFormat"],
    v1Deprecation,
    v1Sunset,
    listen,
    data: resolve(texts.data),
    secretKeyFile: texts.secretKeyFile && resolve(texts.secretKeyFile),
    baseUrl: withoutSlash(texts.baseUrl),
    authUrl: withoutSlash(texts.authUrl),
    sessionDays: Number(texts.sessionDays),
    auditRetentionDays: Number(texts.auditRetentionDays),
    auditSinks: list(texts.auditSinks),
    eventRetentionDays: Number(texts.eventRetentionDays),
    localAccounts: texts.localAccounts === "on",
    awsStsEndpoint: withoutSlash(texts.awsStsEndpoint),
    googleStsEndpoint: withoutSlash(texts.googleStsEndpoint),
    azureLoginEndpoint: withoutSlash(texts.azureLoginEndpoint),
    rootGroups: texts.rootGroups as Settings["rootGroups"],
    trustedProxies: list(texts.trustedProxies).flatMap((text) => readRange(text) ?? []),
    corsOrigins: list(texts.corsOrigins),
    audiences: list(texts.audiences),
    rs256Audiences: list(texts.rs256Audiences).map(withoutSlash),
    registryStorage: registryFolder(texts.registryStorage, texts.data),
    registryMinFree: Number(texts.registryMinFree),
    registryScrubRate: Number(texts.registryScrubRate),
    registryGcMinutes: Number(texts.registryGcMinutes),
    exposureLayers: texts.exposureLayers === "on",
    registries: list(texts.registries),
    registryUrls: new Map(list(texts.registryUrls).map(readRegistryUrl)),
    reconcileMinutes: Number(texts.reconcileMinutes),
    trustedIssuers: list(texts.trustedIssuers),
    deniedIssuers: list(texts.deniedIssuers),
    privateIssuers: list(texts.privateIssuers),
    privateSinks: list(texts.privateSinks),
    maxConnections: Number(texts.maxConnections),
    maxConnectionsPerAddress: Number(texts.maxConnectionsPerAddress),
    maxBodyMemory: texts.maxBodyMemory === "" ? bodyMemory() : Number(texts.maxBodyMemory),
    workers: texts.workers === "" ? defaultWorkers(texts.databaseUrl) : Number(texts.workers),
    shutdownDelay: Number(texts.shutdownDelay),
    scimWritesPerMinute: Number(texts.scimWritesPerMinute),
    feedDistributions: [...new Set(list(texts.feedDistributions))] as [string, ...string[]],
  };
}

function registryFolder(text: string, data: string): string | undefined {
  if (text === "off") return undefined;
  return text === "" ? resolve(data, "registry") : resolve(text);
}

/** Bodies, and what is made of them, may take several times their bytes. */
function bodyMemory(): number {
  const eighth = Math.floor(memoryLimit() / 8 / (1024 * 1024));
  return Math.max(MIN_BODY_MEMORY, Math.min(eighth, MAX_DEFAULT_BODY_MEMORY));
}

/** In MiB: more helps nobody but floods. */
const MAX_DEFAULT_BODY_MEMORY = 256;

function readFlags(args: readonly string[]): Record<string, string> {
  const names = new Map(["config", ...Object.keys(SETTINGS)].map((name) => [flagOf(name), name]));
  const flags: Record<string, string> = {};
  for (let at = 0; at < args.length; at++) {
    const [flag, inline] = splitOnce(args[at] as string, "=");
    const name = names.get(flag);
    if (name === undefined) throw new ConfigError(`unknown option ${args[at]}: see --help`);
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
    throw new ConfigError(`${path} must be a YAML mapping of settings by name`);
  }
  const entries = Object.entries(content).map(([name, value]) => {
    if (!Object.hasOwn(SETTINGS, name)) throw new ConfigError(`${path}: unknown setting ${name}`);
    if (typeof value === "object" && !Array.isArray(value))
      throw new ConfigError(`${path}: ${name} must be a string or a list`);
    return [name, String(value)];
  });
  return Object.fromEntries(entries);
}
