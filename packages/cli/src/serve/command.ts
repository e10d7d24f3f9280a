import type { Run } from "../command/types.ts";
import type { serveDefinition } from "./commands.ts";
import { runServe } from "./serve.ts";

export const run: Run<typeof serveDefinition> = (_context, { words }) => runServe(words);
