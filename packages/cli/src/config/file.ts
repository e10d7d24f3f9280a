import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { didYouMean } from "../command/suggest.ts";
import { contextPath, DEFAULT_CONTEXT, lockedContexts, lockedFile } from "../contexts/files.ts";
import { CommandError, usageError } from "../errors.ts";
import { isObject } from "../is-object.ts";
import type { Environment } from "../settings.ts";
import { CONFIG_KEYS, type ConfigKey, invalidReason, isConfigKey } from "./keys.ts";

/** The values of the config file by key. */
export class Config {
  readonly path: string;
  /** Why the file is invalid; it counts as empty then. */
  readonly problem: CommandError | undefined;
  /** The context whose settings these are. */
  readonly context: string;
  readonly #values: ReadonlyMap<ConfigKey, string>;

  constructor(
    path: string,
    values: ReadonlyMap<ConfigKey, string> = new Map(),
    { problem, context = DEFAULT_CONTEXT }: { problem?: CommandError; context?: string } = {},
  ) {
    this.path = path;
    this.problem = problem;
    this.context = context;
    this.#values = values;
  }

  get(key: ConfigKey): string | undefined {
    return this.#values.get(key);
  }

  get values(): ReadonlyMap<ConfigKey, string> {
    return this.#values;
  }

  /** A copy with one value set, or removed. */
  with(key: ConfigKey, value: string | undefined): Config {
    const values = new Map(this.#values);
    if (value === undefined) values.delete(key);
    else values.set(key, value);
    return new Config(this.path, values, { context: this.context });
  }
}

/** Reads the config file. */
export async function readConfig(
  path: string,
  mustExist: boolean,
  context?: string,
): Promise<Config> {
  const of = context === undefined ? {} : { context };
  if (!mustExist && !existsSync(path)) return new Config(path, new Map(), of);
  try {
    return new Config(path, await readValues(path), of);
  } catch (error) {
    if (error instanceof CommandError)
      return new Config(path, new Map(), { ...of, problem: error });
    throw error;
  }
}

async function readValues(path: string): Promise<Map<ConfigKey, string>> {
  let content: unknown;
  try {
    const text = readFileSync(path, "utf8");
    const { parse } = await import("yaml");
    content = parse(text) ?? {};
  } catch (error) {
    throw usageError(`${path} cannot be read: ${(error as Error).message.split("\n")[0]}`);
  }
  const values = new Map<ConfigKey, string>();
  for (const [key, value] of flatten(path, content)) {
    const reason = invalidReason(readKey(key, `${path}: `), value);
    if (reason !== undefined) throw usageError(`${path}: ${key} ${reason}`);
    values.set(key as ConfigKey, value);
  }
  return values;
}

/** Changes the config file as it is by then: commands that run at once keep the changes of each other. */
export async function changeConfig(
  { path, context }: Config,
  environment: Environment,
  change: (current: Config) => Config,
): Promise<void> {
  const work = async () => {
    const current = await readConfig(path, context !== DEFAULT_CONTEXT, context);
    if (current.problem !== undefined) throw current.problem;
    await writeConfig(change(current));
  };
  const isOfContext = path === contextPath(environment, context);
  await (isOfContext ? lockedContexts(environment, work) : lockedFile(`${path}.lock`, work));
}

/** Writes the config file atomically, readable by its owner only. */
export async function writeConfig(config: Config): Promise<void> {
  const [{ stringify }, { makePrivateFolder, writeAtomically }] = await Promise.all([
    import("yaml"),
    import("../auth/cache/private-file.ts"),
  ]);
  makePrivateFolder(dirname(config.path));
  writeAtomically(config.path, stringify(nested(config)), 0o600);
}

/** Checks a key. */
export function readKey(text: string, prefix = ""): ConfigKey {
  if (isConfigKey(text)) return text;
  throw usageError(
    `${prefix}unknown key ${text}`,
    didYouMean(text, CONFIG_KEYS) ?? `known keys: ${CONFIG_KEYS.join(", ")}`,
  );
}

/** The values as the sections of the file. */
export function nested({ values }: Pick<Config, "values">): Record<string, Record<string, string>> {
  const sections: Record<string, Record<string, string>> = {};
  for (const key of CONFIG_KEYS) {
    const value = values.get(key);
    if (value === undefined) continue;
    const [section, name] = key.split(".") as [string, string];
    sections[section] = { ...sections[section], [name]: value };
  }
  return sections;
}

function* flatten(path: string, content: unknown): Generator<[key: string, value: string]> {
  if (!isObject(content)) throw usageError(`${path} must contain sections of keys`);
  for (const [section, entries] of Object.entries(content)) {
    if (entries === null) continue;
    if (!isObject(entries)) throw usageError(`${path}: ${section} must contain keys`);
    for (const [name, value] of Object.entries(entries)) {
      if (typeof value === "object")
        throw usageError(`${path}: ${section}.${name} must be a string`);
      yield [`${section}.${name}`, String(value)];
    }
  }
}
