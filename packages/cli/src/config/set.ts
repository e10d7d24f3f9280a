import type { Run } from "../command/types.ts";
import { usageError } from "../errors.ts";
import type { setDefinition } from "./commands.ts";
import { checkKey, writeConfig } from "./file.ts";
import { problemOf } from "./keys.ts";

export const run: Run<typeof setDefinition> = async ({ settings, err }, args) => {
  const key = checkKey(args.key);
  const problem = problemOf(key, args.value);
  if (problem !== undefined) throw usageError(`${key} ${problem}`);
  await writeConfig(settings.config.with(key, args.value));
  err.note(`${key} is ${args.value} from now on (${settings.config.path})`);
};
