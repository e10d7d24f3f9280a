import type { Run } from "../command/types.ts";
import { runAdmin } from "./admin.ts";
import type { tokenDefinition } from "./commands.ts";

export const run: Run<typeof tokenDefinition> = (_context, { words }) =>
  runAdmin(["token", ...words]);
