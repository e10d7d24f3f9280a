import type { Run } from "../command/types.ts";
import { runAdmin } from "./admin.ts";
import type { resetAccountDefinition } from "./commands.ts";

export const run: Run<typeof resetAccountDefinition> = (_context, { words }) =>
  runAdmin(["reset-account", ...words]);
