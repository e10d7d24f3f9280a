import type { Run } from "../command/types.ts";
import { REPO } from "../resolve/kinds.ts";
import { resolve } from "../resolve/resolve.ts";
import { REPO_COLUMNS } from "./columns.ts";
import type { describeDefinition } from "./commands.ts";

export const run: Run<typeof describeDefinition> = async (context, { repo }) => {
  await context.out.one(await resolve(context, REPO, repo), REPO_COLUMNS);
};
