import type { Tag } from "@wharf/client";
import { isUid } from "@wharf/contract";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import { notFound, usageError } from "../errors.ts";
import { REPO } from "../resolve/kinds.ts";
import { resolve } from "../resolve/resolve.ts";
import { TAG_COLUMNS } from "./columns.ts";
import type { describeDefinition } from "./commands.ts";

export const run: Run<typeof describeDefinition> = async (context, { tag, repo }) => {
  await context.out.one(await find(context, tag, repo), TAG_COLUMNS);
};

async function find(context: Context, text: string, repo: string | undefined): Promise<Tag> {
  const { tags } = await context.client();
  const { signal } = context;
  if (isUid(text)) return tags.get({ uid: text }, { signal });
  const at = text.lastIndexOf(":");
  const place = repo ?? (at < 0 ? "" : text.slice(0, at));
  const name = repo === undefined ? text.slice(at + 1) : text;
  if (place === "")
    throw usageError(`of which repo is the tag "${text}"?`, "write REPO:TAG, or give --repo");
  const found = await resolve(context, REPO, place);
  const all = { includeReferrers: true, includeDates: true, includeEpochs: true };
  const request = { name, uidp: { childrenOf: found.uid }, ...all };
  const [tag] = (await tags.list(request, { signal })).tags;
  if (tag !== undefined) return tag;
  throw notFound(
    `${found.name} has no tag "${name}"`,
    `\`wharf tags list --repo ${found.uid}\` shows what there is`,
  );
}
