import type { Run } from "../../command/types.ts";
import { resolveGroup } from "../../resolve/groups.ts";
import { GROUP_COLUMNS } from "../groups/columns.ts";
import type { createDefinition } from "./commands.ts";

export const run: Run<typeof createDefinition> = async (context, args) => {
  const { name, description = "" } = args;
  const { groups } = await context.client();
  const parent = await resolveGroup(context, args.parent);
  const request = { parent: parent.uid, group: { name, description } };
  const made = await groups.create(request, { signal: context.signal });
  context.err.note(`created folder ${made.name} in ${parent.name}`);
  await context.out.one(made, GROUP_COLUMNS);
};
