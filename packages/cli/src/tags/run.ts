import type { Tag } from "@wharf/client";
import { isUid } from "@wharf/contract";
import type { Context } from "../context.ts";
import { notFound, usageError } from "../errors.ts";
import { resolveScope } from "../resolve/groups.ts";
import { type Kind, REPO } from "../resolve/kinds.ts";
import { resolve, resolveUid } from "../resolve/resolve.ts";
import type { FilterArgs } from "../resource/commands.ts";
import type { Resource } from "../resource/run.ts";
import { given, readPastTime } from "../resource/values.ts";
import type { FILTERS } from "./commands.ts";

const TAG: Kind<Tag> = {
  one: "tag",
  many: "tags",
  listCommand: "wharf tags list",
  service: ({ tags }) => tags,
  label: ({ name }) => name,
  hint: ({ uid }) => uid,
};

export const resource: Resource<Tag, FilterArgs<typeof FILTERS>> = {
  kind: TAG,
  columns: [
    { header: "Name", value: ({ name }) => name },
    { header: "Digest", value: ({ digest }) => digest },
    { header: "Updated", value: ({ updateTime }) => updateTime },
    { header: "Deprecated", value: ({ deprecated }) => (deprecated ? "yes" : "no") },
    { header: "UID", value: ({ uid }) => uid, wide: true },
    { header: "Bundles", value: ({ bundles }) => bundles, wide: true },
    { header: "Created", value: ({ createTime }) => createTime, wide: true },
  ],
  nestsItself: true,
  find: (context, text, args) => findTag(context, text, (args as { repo?: string }).repo),
  async select(context, args) {
    const { name, digest, repo } = args;
    const updatedSince =
      args.updatedSince === undefined
        ? undefined
        : readPastTime("--updated-since", args.updatedSince);
    const uidp =
      repo === undefined
        ? await resolveScope(context, args)
        : { childrenOf: await resolveUid(context, REPO, repo) };
    const { tags } = await context.client();
    const request = {
      uidp,
      orderBy: "name",
      includeReferrers: args.showReferrers,
      includeDates: args.showDates,
      includeEpochs: args.showEpochs,
      ...given({ name, digest, updatedSince }),
    };
    return tags.listAll(request, { signal: context.signal });
  },
};

/** Finds a tag by UID, as REPO:TAG, or by its name in a repo. */
async function findTag(context: Context, text: string, repo: string | undefined): Promise<Tag> {
  const { tags } = await context.client();
  const { signal } = context;
  if (isUid(text)) return tags.get({ uid: text }, { signal });
  const colon = text.lastIndexOf(":");
  const repoName = repo ?? (colon < 0 ? "" : text.slice(0, colon));
  const name = repo === undefined ? text.slice(colon + 1) : text;
  if (repoName === "") {
    throw usageError(`the repo of tag "${text}" is missing`, "write REPO:TAG, or give --repo");
  }
  const found = await resolve(context, REPO, repoName);
  const all = { includeReferrers: true, includeDates: true, includeEpochs: true };
  const request = { name, uidp: { childrenOf: found.uid }, ...all };
  const [tag] = (await tags.list(request, { signal })).tags;
  if (tag !== undefined) return tag;
  throw notFound(
    `${found.name} has no tag "${name}"`,
    `\`wharf tags list --repo ${found.uid}\` lists its tags`,
  );
}
