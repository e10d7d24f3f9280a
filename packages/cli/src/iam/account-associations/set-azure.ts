import type { Run } from "../../command/types.ts";
import { pairsOf } from "../../resource/pairs.ts";
import type { setAzureDefinition } from "./commands.ts";
import { setAccounts } from "./set.ts";

export const run: Run<typeof setAzureDefinition> = (context, { group, tenantId, clientId }) => {
  const clientIds = pairsOf("--client-id", clientId);
  return setAccounts(context, group, "azure", () => ({ azure: { tenantId, clientIds } }));
};
