import type { Run } from "../../command/types.ts";
import { mustBeUid } from "../../resolve/uid.ts";
import { mappingColumns } from "./columns.ts";
import type { describeDefinition } from "./commands.ts";

export const run: Run<typeof describeDefinition> = async (context, { mapping }) => {
  mustBeUid("MAPPING", mapping);
  const { externalGroupRoleMappings } = await context.client();
  const found = await externalGroupRoleMappings.get({ uid: mapping }, { signal: context.signal });
  await context.out.one(found, await mappingColumns(context, [found]));
};
