import type { Run } from "../../../command/types.ts";
import { wholeProvider } from "../resolve.ts";
import { SCIM_COLUMNS } from "./columns.ts";
import type { statusDefinition } from "./commands.ts";
import { scimOf } from "./switch.ts";

export const run: Run<typeof statusDefinition> = async (context, { provider }) => {
  const found = await wholeProvider(context, provider);
  await context.out.one(scimOf(found), SCIM_COLUMNS, { id: () => found.uid });
};
