import type { Run } from "../command/types.ts";
import { REPO } from "../resolve/kinds.ts";
import { resolveUid } from "../resolve/resolve.ts";
import { changesOf } from "../resource/given.ts";
import { REPO_COLUMNS } from "./columns.ts";
import type { updateDefinition } from "./commands.ts";
import { contentOf } from "./content.ts";

export const run: Run<typeof updateDefinition> = async (context, args) => {
  const { name, description } = args;
  const changes = changesOf(
    { name, description, ...contentOf(args) },
    "--name, --description, --tier, --bundles, --aliases or --active-tags",
  );
  const uid = await resolveUid(context, REPO, args.repo);
  const { repos } = await context.client();
  const request = { repo: { uid, ...changes }, updateMask: Object.keys(changes) };
  await context.out.one(await repos.update(request, { signal: context.signal }), REPO_COLUMNS);
};
