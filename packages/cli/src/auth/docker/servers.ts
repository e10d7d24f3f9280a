import { readConfigOf, readContext } from "../../contexts/choose.ts";
import { contextNames } from "../../contexts/files.ts";
import { CommandError } from "../../errors.ts";
import { type Environment, readSettings, type Settings } from "../../settings.ts";
import { registryAt, type Server } from "./credentials.ts";

/** Variables that belong to the server in use, and must not be sent to another one. */
const OF_SERVER = [
  "WHARF_API",
  "WHARF_ISSUER",
  "WHARF_AUDIENCE",
  "WHARF_CA_CERT",
  "WHARF_TOKEN",
  "WHARF_IDENTITY",
] as const;

/**
 * The servers that the credential helper serves: that of the context in use, then those of the others. A context or
 * config file that a variable names is the only one.
 */
export async function serversOf(environment: Environment): Promise<Server[]> {
  const given = new Map<string, string[]>();
  const config = await readConfigOf(given, environment);
  if (config.problem !== undefined) throw config.problem;
  const current = { settings: readSettings({ given, environment, config }), environment };
  if (environment.WHARF_CONFIG_FILE || environment.WHARF_CONTEXT) return [current];
  const others = contextNames(environment).filter((name) => name !== config.context);
  const found = await Promise.all(others.map((name) => serverOf(environment, name)));
  return [current, ...found.filter((server) => server !== undefined)];
}

/**
 * The settings of the server that has a registry, for commands without server options: the server that a flag or a
 * variable names is the only one, because tokens must not be sent to another.
 */
export async function settingsFor(
  registry: string,
  settings: Settings,
  environment: Environment,
): Promise<Settings> {
  if (settings.namesServer) return settings;
  const servers = await serversOf(environment);
  return servers.find((each) => registryAt(each, registry))?.settings ?? settings;
}

/** The server of another context; undefined if its settings are invalid, which concerns its own commands only. */
async function serverOf(environment: Environment, name: string): Promise<Server | undefined> {
  const config = await readContext(environment, name);
  if (config.problem !== undefined) return undefined;
  const left = Object.entries(environment).filter(([key]) => !OF_SERVER.includes(key as never));
  const own = Object.fromEntries(left);
  try {
    const given = new Map<string, string[]>();
    return { settings: readSettings({ given, environment: own, config }), environment: own };
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}
