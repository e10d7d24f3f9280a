import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { usageError } from "../../errors.ts";
import { makePrivateFolder, writeWhole } from "../cache/private-file.ts";

/** docker's config, as far as we look into it. Everything else stays as it is. */
export interface DockerConfig {
  readonly credHelpers?: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

/** What docker calls `docker-credential-wharf`. */
export const HELPER = "wharf";

/** Reads the file; one that is not there is empty. */
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
    throw usageError(`${path} is not docker's config`, "mend it or move it away, then try again");
  }
  return config as DockerConfig;
}

/** The config with our helper for these registries. */
export function withHelper(config: DockerConfig, registries: readonly string[]): DockerConfig {
  const ours = Object.fromEntries(registries.map((host) => [host, HELPER]));
  return { ...config, credHelpers: { ...config.credHelpers, ...ours } };
}

/** As docker writes it. */
export function dockerText(config: DockerConfig): string {
  return `${JSON.stringify(config, null, "\t")}\n`;
}

/** Writes the file at once and whole. Where it is a link, what it leads to is written. */
export function writeDockerConfig(path: string, config: DockerConfig): void {
  makePrivateFolder(dirname(path));
  const target = existing(path) ?? path;
  const mode = existing(path) === undefined ? 0o600 : statSync(target).mode & 0o777;
  writeWhole(target, dockerText(config), mode);
}

function existing(path: string): string | undefined {
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
    // What is in there can be a password: the complaint must not quote it.
    throw usageError(`${path} is not JSON`, "mend it or move it away, then try again");
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
