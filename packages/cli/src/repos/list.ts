import type { Run } from "../command/types.ts";
import { printList } from "../resource/print.ts";
import { within } from "../resource/within.ts";
import { REPO_COLUMNS } from "./columns.ts";
import type { listDefinition } from "./commands.ts";

export const run: Run<typeof listDefinition> = async (context, args) => {
  const { name } = args;
  const { repos } = await context.client();
  const uidp = await within(context, args);
  const request = { uidp, orderBy: "name", ...(name === undefined ? {} : { name }) };
  await printList(context, repos.listAll(request, { signal: context.signal }), REPO_COLUMNS, {
    what: "repos",
    label: (repo) => repo.name,
  });
};
