import type { Options } from "../command/definition.ts";
import { GLOBALS } from "../command/globals.ts";
import type { Run } from "../command/types.ts";
import type { Environment } from "../settings.ts";
import type { viewDefinition } from "./commands.ts";
import type { Config } from "./file.ts";
import { CONFIG_KEYS, type ConfigKey } from "./keys.ts";

interface Shown {
  readonly key: ConfigKey;
  readonly value: string;
  /** A variable, the file, or the default. */
  readonly from: string;
}

export const run: Run<typeof viewDefinition> = async ({ settings, environment, out }, { diff }) => {
  const all = CONFIG_KEYS.map((key) => lookUp(key, settings.config, environment));
  const shown = diff ? all.filter(({ from }) => from !== "default") : all;
  const columns = [
    { header: "Key", value: ({ key }: Shown) => key },
    { header: "Value", value: ({ value }: Shown) => value },
    { header: "From", value: ({ from }: Shown) => from },
  ];
  await out.list(shown, columns, { id: ({ key }) => key, what: "settings that differ" });
};

function lookUp(key: ConfigKey, config: Config, environment: Environment): Shown {
  const option = Object.values(GLOBALS as Options).find((each) => each.config === key);
  const variable = option?.env === undefined ? undefined : environment[option.env];
  if (variable) return { key, value: variable, from: option?.env as string };
  const kept = config.get(key);
  if (kept !== undefined) return { key, value: kept, from: config.path };
  const fallback = option !== undefined && "default" in option ? option.default : "";
  return { key, value: String(fallback ?? ""), from: "default" };
}
