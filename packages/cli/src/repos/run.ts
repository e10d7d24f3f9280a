import type { Run } from "../command/types.ts";
import { resolveGroup } from "../resolve/groups.ts";
import { REPO } from "../resolve/kinds.ts";
import { resolveUid } from "../resolve/resolve.ts";
import { REPO_COLUMNS } from "./columns.ts";
import type { createDefinition } from "./commands.ts";
import { contentOf } from "./content.ts";

export const run: Run<typeof createDefinition> = async (context, args) => {
  const { name, description = "", syncFrom } = args;
  const parent = await resolveGroup(context, args.parent);
  const source = syncFrom === undefined ? undefined : await resolveUid(context, REPO, syncFrom);
  const repo = {
    name,
    description,
    ...contentOf(args),
    ...(source === undefined ? {} : { syncConfig: { source } }),
  };
  const { repos } = await context.client();
  const made = await repos.create({ parent: parent.uid, repo }, { signal: context.signal });
  context.err.note(`created repo ${made.name} in ${parent.name}`);
  await context.out.one(made, REPO_COLUMNS);
};
