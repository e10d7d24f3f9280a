import type { Run } from "../../command/types.ts";
import type { setGcpDefinition } from "./commands.ts";
import { setAccounts } from "./set.ts";

export const run: Run<typeof setGcpDefinition> = (context, { group, projectId, projectNumber }) =>
  setAccounts(context, group, "gcp", () => ({ google: { projectId, projectNumber } }));
