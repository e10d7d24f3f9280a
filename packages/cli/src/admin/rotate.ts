import type { Run } from "../command/types.ts";
import { runAdmin } from "./admin.ts";
import type { rotateDefinition } from "./commands.ts";

export const run: Run<typeof rotateDefinition> = (_context, { words }) =>
  runAdmin(["keys", "rotate", ...words]);
