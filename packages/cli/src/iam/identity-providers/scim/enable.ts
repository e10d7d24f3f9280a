import type { Run } from "../../../command/types.ts";
import type { enableDefinition } from "./commands.ts";
import { setScimEnabled } from "./switch.ts";

export const run: Run<typeof enableDefinition> = (context, { provider }) =>
  setScimEnabled(context, provider, true);
