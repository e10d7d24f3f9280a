import type { Run } from "../../command/types.ts";
import { IDENTITY } from "../../resolve/kinds.ts";
import { resolve } from "../../resolve/resolve.ts";
import { IDENTITY_COLUMNS } from "./columns.ts";
import type { describeDefinition } from "./commands.ts";

export const run: Run<typeof describeDefinition> = async (context, { identity }) => {
  await context.out.one(await resolve(context, IDENTITY, identity), IDENTITY_COLUMNS);
};
