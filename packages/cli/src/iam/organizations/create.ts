import type { Run } from "../../command/types.ts";
import { GROUP_COLUMNS } from "../groups/columns.ts";
import type { createDefinition } from "./commands.ts";

export const run: Run<typeof createDefinition> = async (context, { name, description = "" }) => {
  const { groups } = await context.client();
  const made = await groups.create({ group: { name, description } }, { signal: context.signal });
  context.err.note(`created organization ${made.name}`);
  await context.out.one(made, GROUP_COLUMNS);
};
