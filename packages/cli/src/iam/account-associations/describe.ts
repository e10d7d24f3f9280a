import type { Run } from "../../command/types.ts";
import { ASSOCIATION_COLUMNS } from "./columns.ts";
import type { describeDefinition } from "./commands.ts";
import { groupUid } from "./set.ts";

export const run: Run<typeof describeDefinition> = async (context, { group }) => {
  const uid = await groupUid(context, group);
  const { accountAssociations } = await context.client();
  const found = await accountAssociations.get({ uid }, { signal: context.signal });
  await context.out.one(found, ASSOCIATION_COLUMNS);
};
