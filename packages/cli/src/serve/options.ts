import { flagOf, SETTINGS, variableOf } from "@wharf/server/config/schema.ts";
import type { Option } from "../command/definition.ts";

/** The server's settings as options, only for help: the server parses them itself. */
export function serverOptions(): Record<string, Option> {
  const config: Option = {
    type: "string",
    value: "FILE",
    summary: "YAML file with settings by name, such as databaseUrl.",
    env: "WHARF_CONFIG",
  };
  const settings = Object.entries(SETTINGS).map(([name, setting]): [string, Option] => [
    flagOf(name).slice(2),
    {
      type: "string",
      value: setting.value,
      summary: setting.help,
      env: variableOf(name),
      default: setting.default,
    },
  ]);
  return { config, ...Object.fromEntries(settings) };
}
