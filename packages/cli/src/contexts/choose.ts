import { existsSync } from "node:fs";
import type { Scanned } from "../command/scan.ts";
import { didYouMean } from "../command/suggest.ts";
import { Config, readConfig } from "../config/file.ts";
import { type CommandError, notFound, usageError } from "../errors.ts";
import type { Environment } from "../settings.ts";
import {
  contextNames,
  contextPath,
  DEFAULT_CONTEXT,
  readContextName,
  storedContext,
} from "./files.ts";

/**
 * Reads the config file of a command line: the one that --config names, or that of a context. A flag counts more than a
 * variable, and a variable more than the context in use.
 */
export async function readConfigOf(
  given: Scanned["given"],
  environment: Environment,
): Promise<Config> {
  const flags = flagsOf(given);
  const { WHARF_CONFIG_FILE: file, WHARF_CONTEXT: context } = environment;
  if (isChosen(flags)) return readChosen(flags, ["--config", "--context"], environment);
  return readChosen({ file, context }, ["WHARF_CONFIG_FILE", "WHARF_CONTEXT"], environment);
}

/** Whether a flag or a variable names the config file or the context. */
export function namesConfig(given: Scanned["given"], environment: Environment): boolean {
  return (
    isChosen(flagsOf(given)) ||
    isChosen({ file: environment.WHARF_CONFIG_FILE, context: environment.WHARF_CONTEXT })
  );
}

function flagsOf(given: Scanned["given"]): Choice {
  return { file: given.get("config")?.at(-1), context: given.get("context")?.at(-1) };
}

interface Choice {
  readonly file: string | undefined;
  readonly context: string | undefined;
}

function isChosen({ file, context }: Choice): boolean {
  return Boolean(file || context);
}

async function readChosen(
  { file, context }: Choice,
  [ofFile, ofContext]: readonly [string, string],
  environment: Environment,
): Promise<Config> {
  if (file && context) throw usageError(`${ofFile} and ${ofContext} are mutually exclusive`);
  if (file) return readConfig(file, true);
  if (!context) return readContext(environment, storedContext(environment));
  const config = await readContext(environment, readContextName(ofContext, context));
  rejectOtherServer(config, environment, ofContext);
  return config;
}

/** Reads the config file of a context. One that does not exist is a problem: another server must not take its place. */
export async function readContext(environment: Environment, name: string): Promise<Config> {
  const path = contextPath(environment, name);
  const isNamed = name !== DEFAULT_CONTEXT;
  if (!isNamed || existsSync(path)) return readConfig(path, isNamed, name);
  const problem = unknownContext(environment, name);
  return new Config(path, new Map(), { context: name, problem });
}

export function unknownContext(environment: Environment, name: string): CommandError {
  return notFound(
    `no context is named "${name}"`,
    didYouMean(name, contextNames(environment)) ?? "`wharf context list` lists all contexts",
  );
}

/** A context is chosen for its server: a variable that names another one is a mistake, not a setting. */
function rejectOtherServer(config: Config, environment: Environment, source: string): void {
  for (const [variable, key] of [
    ["WHARF_API", "platform.api"],
    ["WHARF_ISSUER", "platform.issuer"],
  ] as const) {
    const other = environment[variable];
    const own = config.get(key) ?? config.get("platform.api");
    if (!other || own === undefined || sameUrl(other, own)) continue;
    throw usageError(
      `${source} chooses ${config.context} at ${own}, but ${variable} is ${other}`,
      `unset ${variable}`,
    );
  }
}

function sameUrl(one: string, another: string): boolean {
  return one.replace(/\/+$/, "") === another.replace(/\/+$/, "");
}
