import type { Run } from "../command/types.ts";
import { runAdmin } from "./admin.ts";
import type { registrySecretDefinition } from "./commands.ts";

export const run: Run<typeof registrySecretDefinition> = (_context, { words }) =>
  runAdmin(["registry-secret", ...words]);
