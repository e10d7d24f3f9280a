import { readFileSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { usageError } from "../../errors.ts";
import { isObject } from "../../is-object.ts";
import type { Environment } from "../../settings.ts";
import { makePrivateFolder, writeAtomically } from "../cache/private-file.ts";

/** Docker's config. Keys that the CLI does not know are preserved. */
export interface DockerConfig {
  readonly credHelpers?: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

/** Docker's name for `docker-credential-wharf`. */
export const HELPER = "wharf";

/** Reads the config; a missing file counts as empty. */
export function readDockerConfig(path: string): DockerConfig {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw usageError(`${path} cannot be read: ${(error as Error).message}`);
  }
  const config = text.trim() === "" ? {} : parse(path, text);
  if (!isObject(config) || !isObject(config.credHelpers ?? {})) {
    throw usageError(`${path} is not a Docker config`, "fix or move the file, then try again");
  }
  return config as DockerConfig;
}

/** Adds the credential helper for registries. */
export function withHelper(config: DockerConfig, registries: readonly string[]): DockerConfig {
  const ours = Object.fromEntries(registries.map((host) => [host, HELPER]));
  return { ...config, credHelpers: { ...config.credHelpers, ...ours } };
}

/** Formats the config as Docker does. */
export function dockerText(config: DockerConfig): string {
  return `${JSON.stringify(config, null, "\t")}\n`;
}

/** Writes the config atomically, and to the target if the file is a symbolic link. */
export function writeDockerConfig(path: string, config: DockerConfig): void {
  makePrivateFolder(dirname(path));
  const existing = realPathOf(path);
  const mode = existing === undefined ? 0o600 : statSync(existing).mode & 0o777;
  writeAtomically(existing ?? path, dockerText(config), mode);
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Without the parser's message, which could quote a password.
    throw usageError(`${path} is not JSON`, "fix or move the file, then try again");
  }
}

/** The directory of Docker's config; with sudo, that of the user who ran it. */
export function dockerFolder(environment: Environment): string {
  if (environment.DOCKER_CONFIG) return environment.DOCKER_CONFIG;
  return join(userHome(environment), ".docker");
}

/** The home directory of the user who typed the command. */
export function userHome(
  environment: Environment,
  uid = process.getuid?.(),
  passwd = "/etc/passwd",
): string {
  const { SUDO_USER: user } = environment;
  const own = homedir();
  if (uid !== 0 || !user || user === "root") return own;
  return homeOf(user, passwd) ?? own;
}

function homeOf(user: string, passwd: string): string | undefined {
  const lines = readFileSync(passwd, "utf8").split("\n");
  const entry = lines.map((line) => line.split(":")).find(([name]) => name === user);
  return entry?.[5] || undefined;
}
