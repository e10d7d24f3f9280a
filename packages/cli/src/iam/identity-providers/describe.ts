import type { Run } from "../../command/types.ts";
import { PROVIDER_DETAILS } from "./columns.ts";
import type { describeDefinition } from "./commands.ts";
import { wholeProvider } from "./resolve.ts";

export const run: Run<typeof describeDefinition> = async (context, { provider }) => {
  await context.out.one(await wholeProvider(context, provider), PROVIDER_DETAILS);
};
