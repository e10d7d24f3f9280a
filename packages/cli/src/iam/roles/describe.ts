import type { Run } from "../../command/types.ts";
import { ROLE } from "../../resolve/kinds.ts";
import { resolve } from "../../resolve/resolve.ts";
import { ROLE_DETAILS } from "./columns.ts";
import type { describeDefinition } from "./commands.ts";

export const run: Run<typeof describeDefinition> = async (context, { role }) => {
  await context.out.one(await resolve(context, ROLE, role), ROLE_DETAILS);
};
