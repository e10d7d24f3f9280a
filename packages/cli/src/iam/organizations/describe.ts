import type { Run } from "../../command/types.ts";
import { resolveGroup } from "../../resolve/groups.ts";
import { GROUP_COLUMNS } from "../groups/columns.ts";
import type { describeDefinition } from "./commands.ts";

export const run: Run<typeof describeDefinition> = async (context, { organization }) => {
  const group = await resolveGroup(context, organization, "organization");
  await context.out.one(group, GROUP_COLUMNS);
};
