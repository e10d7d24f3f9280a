import type { Run } from "../command/types.ts";
import { REPO } from "../resolve/kinds.ts";
import { resolveUid } from "../resolve/resolve.ts";
import { given } from "../resource/given.ts";
import { timeAgo } from "../resource/time.ts";
import { within } from "../resource/within.ts";
import { TAG_COLUMNS } from "./columns.ts";
import type { listDefinition } from "./commands.ts";

export const run: Run<typeof listDefinition> = async (context, args) => {
  const { name, digest, repo, updatedSince } = args;
  const since = updatedSince === undefined ? undefined : timeAgo("--updated-since", updatedSince);
  const uidp =
    repo === undefined
      ? await within(context, args)
      : { childrenOf: await resolveUid(context, REPO, repo) };
  const { tags } = await context.client();
  const request = {
    uidp,
    orderBy: "name",
    includeReferrers: args.showReferrers,
    includeDates: args.showDates,
    includeEpochs: args.showEpochs,
    ...given({ name, digest, updatedSince: since }),
  };
  await context.progress("listing tags", () =>
    context.out.list(tags.listAll(request, { signal: context.signal }), TAG_COLUMNS, {
      what: "tags",
    }),
  );
};
