import type { Run } from "../../../command/types.ts";
import type { disableDefinition } from "./commands.ts";
import { setScimEnabled } from "./switch.ts";

export const run: Run<typeof disableDefinition> = (context, { provider }) =>
  setScimEnabled(context, provider, false);
