import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { didYouMean } from "../command/suggest.ts";
import { CommandError, usageError } from "../errors.ts";
import { CONFIG_KEYS, type ConfigKey, isConfigKey, problemOf } from "./keys.ts";

/** The config file's values by key. */
export class Config {
  readonly path: string;
  /** Why the file cannot be used; then it counts as empty. */
  readonly problem: CommandError | undefined;
  readonly #values: ReadonlyMap<ConfigKey, string>;

  constructor(
    path: string,
    values: ReadonlyMap<ConfigKey, string> = new Map(),
    problem?: CommandError,
  ) {
    this.path = path;
    this.problem = problem;
    this.#values = values;
  }

  get(key: ConfigKey): string | undefined {
    return this.#values.get(key);
  }

  get values(): ReadonlyMap<ConfigKey, string> {
    return this.#values;
  }

  /** The same with one value changed, or taken out. */
  with(key: ConfigKey, value: string | undefined): Config {
    const values = new Map(this.#values);
    if (value === undefined) values.delete(key);
    else values.set(key, value);
    return new Config(this.path, values);
  }
}

/** Reads the file. Only one that was asked for by name must be there. */
export async function readConfig(path: string, mustExist: boolean): Promise<Config> {
  if (!mustExist && !existsSync(path)) return new Config(path);
  try {
    return new Config(path, await readValues(path));
  } catch (error) {
    if (error instanceof CommandError) return new Config(path, new Map(), error);
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
    const problem = problemOf(checkKey(key, `${path}: `), value);
    if (problem !== undefined) throw usageError(`${path}: ${key} ${problem}`);
    values.set(key as ConfigKey, value);
  }
  return values;
}

/** Writes the file at once and whole, for its owner's eyes alone. */
export async function writeConfig(config: Config): Promise<void> {
  const [{ stringify }, { makePrivateFolder, writeWhole }] = await Promise.all([
    import("yaml"),
    import("../auth/cache/private-file.ts"),
  ]);
  makePrivateFolder(dirname(config.path));
  writeWhole(config.path, stringify(nested(config)), 0o600);
}

/** The key, if it is one; refused with those that there are otherwise. */
export function checkKey(text: string, where = ""): ConfigKey {
  if (isConfigKey(text)) return text;
  throw usageError(
    `${where}unknown key ${text}`,
    didYouMean(text, CONFIG_KEYS) ?? `known keys: ${CONFIG_KEYS.join(", ")}`,
  );
}

/** Keys of two levels as the file has them. */
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
  if (!isObject(content)) throw usageError(`${path} must hold sections of keys`);
  for (const [section, entries] of Object.entries(content)) {
    if (entries === null) continue;
    if (!isObject(entries)) throw usageError(`${path}: ${section} must hold keys`);
    for (const [name, value] of Object.entries(entries)) {
      if (typeof value === "object") throw usageError(`${path}: ${section}.${name} must be a text`);
      yield [`${section}.${name}`, String(value)];
    }
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
