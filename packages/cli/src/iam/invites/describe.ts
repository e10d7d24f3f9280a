import type { Run } from "../../command/types.ts";
import { INVITE_COLUMNS } from "./columns.ts";
import type { describeDefinition } from "./commands.ts";
import { resolveInvite } from "./resolve.ts";

export const run: Run<typeof describeDefinition> = async (context, { invite }) => {
  await context.out.one(await resolveInvite(context, invite), INVITE_COLUMNS);
};
