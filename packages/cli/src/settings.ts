import { readFileSync } from "node:fs";
import type { Command, Option, Options } from "./command/definition.ts";
import type { COLORS } from "./command/globals.ts";
import { GLOBALS } from "./command/globals.ts";
import { optionValue, type Sources } from "./command/parse.ts";
import type { Config } from "./config/file.ts";
import { invalidReason } from "./config/keys.ts";
import { namesConfig } from "./contexts/choose.ts";
import { usageError } from "./errors.ts";

/** Settings of every command, by precedence: flags, variables, config file, defaults. */
export interface Settings {
  /** The API URL, without a trailing slash. */
  readonly api: string;
  readonly issuer: string;
  readonly audience: string;
  readonly registry: string;
  /** The content of the file with certificates of additional authorities. */
  readonly ca: string | undefined;
  readonly output: string;
  /** An expression of jq for JSON. */
  readonly jq: string | undefined;
  readonly pager: boolean;
  readonly color: (typeof COLORS)[number];
  readonly yes: boolean;
  readonly verbose: boolean;
  readonly quiet: boolean;
  /** Whether the server rolls everything back that the command writes. */
  readonly dryRun: boolean;
  readonly config: Config;
  /** The context whose settings and logins these are. */
  readonly context: string;
  /** Whether a flag or a variable names the server, its context or its config file: no other one is meant. */
  readonly namesServer: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings. Options that a command redefines are its own: `--issuer` of an identity is not
 * the issuer of the caller's tokens.
 */
export function readSettings(
  { given, ...others }: Sources,
  { outputs = [], options = {}, writes = false }: Partial<Command> = {},
): Settings {
  const isOwn = (name: string) =>
    Object.hasOwn(options, name) && options[name] !== GLOBALS[name as keyof typeof GLOBALS];
  const whole: Sources = { given, ...others };
  const globally = new Map([...given].filter(([name]) => !isOwn(name)));
  const sources: Sources = { given: globally, ...others };
  const globals: Options = {
    ...GLOBALS,
    output: { ...GLOBALS.output, choices: [...GLOBALS.output.choices, ...outputs] },
  };
  const value = (name: keyof typeof GLOBALS) => optionValue(name, globals[name] as never, sources);
  const api = readUrl("--api", value("api") as string);
  const issuer = value("issuer") as string | undefined;
  const jq = value("jq") as string | undefined;
  if (jq !== undefined && isOtherOutput(given.get("output")?.at(-1))) {
    throw usageError("--jq is for -o json", "leave out the other format");
  }
  return {
    api,
    issuer: issuer === undefined ? api : readUrl("--issuer", issuer),
    audience: (value("audience") as string | undefined) ?? api,
    registry: sources.config.get("platform.registry") ?? new URL(api).host,
    ca: readCertificates(value("ca-cert") as string | undefined),
    output: jq === undefined ? (value("output") as string) : "json",
    jq,
    pager: value("pager") as boolean,
    color: value("no-color") ? "never" : (value("color") as Settings["color"]),
    yes: value("yes") as boolean,
    verbose: value("verbose") as boolean,
    quiet: value("quiet") as boolean,
    dryRun: writes && optionValue("dry-run", options["dry-run"] as Option, whole) === true,
    config: sources.config,
    context: sources.config.context,
    namesServer:
      globally.has("api") ||
      Boolean(sources.environment.WHARF_API) ||
      namesConfig(globally, sources.environment),
  };
}

function isOtherOutput(output: string | undefined): boolean {
  return output !== undefined && output !== "json";
}

function readUrl(source: string, text: string): string {
  const reason = invalidReason("platform.api", text);
  if (reason !== undefined) throw usageError(`${source} ${reason}, not "${text}"`);
  return text.replace(/\/+$/, "");
}

function readCertificates(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    const text = readFileSync(file, "utf8");
    if (text.includes("-----BEGIN CERTIFICATE-----")) return text;
  } catch (error) {
    throw usageError(`--ca-cert: ${file} cannot be read: ${(error as Error).message}`);
  }
  throw usageError(`--ca-cert: ${file} has no PEM certificate`);
}
