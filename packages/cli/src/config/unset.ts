import type { Run } from "../command/types.ts";
import type { unsetDefinition } from "./commands.ts";
import { checkKey, writeConfig } from "./file.ts";

export const run: Run<typeof unsetDefinition> = async ({ settings, err }, args) => {
  const key = checkKey(args.key);
  const { config } = settings;
  if (config.get(key) === undefined) return err.note(`${key} is not in ${config.path}`);
  await writeConfig(config.with(key, undefined));
  err.note(`${key} is what it is by default from now on (${config.path})`);
};
