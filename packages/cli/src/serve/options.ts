import { flagOf, SETTINGS, variableOf } from "@wharf/server/config/schema.ts";
import type { Option, Options } from "../command/definition.ts";

const CONFIG: Option = {
  type: "string",
  value: "FILE",
  summary: "YAML file with settings by name, such as databaseUrl.",
  env: "WHARF_CONFIG",
  ofServer: true,
};

function optionsOf(settings: typeof SETTINGS): Options {
  const options: Record<string, Option> = { config: CONFIG };
  for (const [name, setting] of Object.entries(settings)) {
    options[flagOf(name).slice(2)] = {
      type: "string",
      value: setting.value,
      summary: setting.help,
      env: variableOf(name),
      default: setting.default,
      ofServer: true,
    };
  }
  return options;
}

/**
 * The server's settings as options, only for help: the server parses them itself. Every command is defined at each
 * start, so all those of operators share one object of these.
 */
export const SERVER_OPTIONS = optionsOf(SETTINGS);
