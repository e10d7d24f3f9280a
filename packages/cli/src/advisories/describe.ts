import type { Run } from "../command/types.ts";
import { ADVISORY_DETAILS } from "./columns.ts";
import type { describeDefinition } from "./commands.ts";
import { findAdvisory } from "./resolve.ts";

export const run: Run<typeof describeDefinition> = async (context, { advisory }) => {
  await context.out.one(await findAdvisory(context, advisory), ADVISORY_DETAILS);
};
