import type { Run } from "../../command/types.ts";
import { mustBeUid } from "../../resolve/uid.ts";
import { BINDING_COLUMNS } from "./columns.ts";
import type { describeDefinition } from "./commands.ts";

export const run: Run<typeof describeDefinition> = async (context, { binding }) => {
  mustBeUid("BINDING", binding);
  const { roleBindings } = await context.client();
  const found = await roleBindings.get({ uid: binding }, { signal: context.signal });
  await context.out.one(found, BINDING_COLUMNS);
};
