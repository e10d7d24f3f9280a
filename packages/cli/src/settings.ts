import type { Command, Options } from "./command/definition.ts";
import type { COLORS } from "./command/globals.ts";
import { GLOBALS } from "./command/globals.ts";
import { optionValue, type Sources } from "./command/parse.ts";
import type { Scanned } from "./command/scan.ts";
import { type Config, readConfig } from "./config/file.ts";
import { problemOf } from "./config/keys.ts";
import { configPath } from "./config/path.ts";
import { usageError } from "./errors.ts";

/** What every command goes by: flags, then variables, then the config file, then defaults. */
export interface Settings {
  /** The address of the API, without a slash at its end. */
  readonly api: string;
  readonly issuer: string;
  readonly audience: string;
  readonly registry: string;
  readonly output: string;
  readonly format: string | undefined;
  readonly color: (typeof COLORS)[number];
  readonly yes: boolean;
  readonly verbose: boolean;
  readonly quiet: boolean;
  readonly config: Config;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The config file that a command line asks for, or the usual one. */
export function readConfigOf(given: Scanned["given"], environment: Environment): Promise<Config> {
  const named = given.get("config")?.at(-1) ?? environment.WHARF_CONFIG_FILE;
  return readConfig(named || configPath(environment), Boolean(named));
}

/**
 * What a command has named itself is its own: an issuer that an identity is to trust is not the one
 * that issues our tokens.
 */
export function readSettings(
  { given, ...others }: Sources,
  { outputs = [], options = {} }: Pick<Command, "outputs" | "options"> = {},
): Settings {
  const isOwn = (name: string) =>
    Object.hasOwn(options, name) && options[name] !== GLOBALS[name as keyof typeof GLOBALS];
  const globally = new Map([...given].filter(([name]) => !isOwn(name)));
  const sources: Sources = { given: globally, ...others };
  const globals: Options = {
    ...GLOBALS,
    output: { ...GLOBALS.output, choices: [...GLOBALS.output.choices, ...outputs] },
  };
  const value = (name: keyof typeof GLOBALS) => optionValue(name, globals[name] as never, sources);
  const api = address("--api", value("api") as string);
  const issuer = value("issuer") as string | undefined;
  return {
    api,
    issuer: issuer === undefined ? api : address("--issuer", issuer),
    audience: (value("audience") as string | undefined) ?? api,
    registry: sources.config.get("platform.registry") ?? new URL(api).host,
    output: value("output") as string,
    format: value("format") as string | undefined,
    color: value("no-color") ? "never" : (value("color") as Settings["color"]),
    yes: value("yes") as boolean,
    verbose: value("verbose") as boolean,
    quiet: value("quiet") as boolean,
    config: sources.config,
  };
}

function address(source: string, text: string): string {
  const problem = problemOf("platform.api", text);
  if (problem !== undefined) throw usageError(`${source} ${problem}, not "${text}"`);
  return text.replace(/\/+$/, "");
}
