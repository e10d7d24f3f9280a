import type { Repo, Tag, TagHistoryEntry } from "@wharf/client";
import { isUid } from "@wharf/contract";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import { notFound, usageError } from "../errors.ts";
import { type Column, UID } from "../output/columns.ts";
import { resolveScope } from "../resolve/groups.ts";
import { type Kind, REPO } from "../resolve/kinds.ts";
import { resolve, resolveUid } from "../resolve/resolve.ts";
import { suggestedNames } from "../resolve/suggestions.ts";
import type { FilterArgs } from "../resource/commands.ts";
import { printOne, type Resource } from "../resource/run.ts";
import { given, readPastTime } from "../resource/values.ts";
import type { createDefinition, FILTERS, historyDefinition } from "./commands.ts";

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
    UID,
    { header: "Bundles", value: ({ bundles }) => bundles, wide: true },
    { header: "Created", value: ({ createTime }) => createTime, wide: true },
  ],
  nestsItself: true,
  find: (context, text, args) => findTag(context, text, (args as { repo?: string }).repo),
  async select(context, args) {
    const { name, namePrefix, digest, repo } = args;
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
      orderBy: args.orderBy ?? "name",
      includeReferrers: args.showReferrers,
      includeDates: args.showDates,
      includeEpochs: args.showEpochs,
      ...given({ name, namePrefix, digest, updatedSince }),
    };
    return tags.listAll(request, { signal: context.signal });
  },
};

/** Creates a tag, or moves it. */
export const create: Run<typeof createDefinition> = async (context, args) => {
  const { deprecated, bundles, from } = args;
  if ((args.digest === undefined) === (from === undefined)) {
    throw usageError("give either --digest or --from");
  }
  const { repo, name } = splitTag(args.tag, undefined);
  const found = await resolve(context, REPO, repo);
  const digest =
    from === undefined ? (args.digest ?? "") : (await tagNamed(context, found, from)).digest;
  const tag = { name, digest, deprecated, bundles: [...bundles] };
  const { tags } = await context.client();
  const created = await tags.create({ parent: found.uid, tag }, { signal: context.signal });
  context.err.note(`tagged ${found.name}@${created.digest} as ${name}`);
  await printOne(context, resource, created);
};

const HISTORY_COLUMNS: readonly Column<TagHistoryEntry>[] = [
  { header: "Digest", value: ({ digest }) => digest },
  { header: "Since", value: ({ updateTime }) => updateTime },
];

export const history: Run<typeof historyDefinition> = async (context, args) => {
  const { uid } = await findTag(context, args.tag, args.repo);
  const { tags } = await context.client();
  const entries = tags.listHistoryAll({ uid }, { signal: context.signal });
  const id = ({ digest }: TagHistoryEntry) => digest;
  await context.out.list(entries, HISTORY_COLUMNS, { id, what: "entries", arrangement: args });
};

/** Finds a tag by UID, as REPO:TAG, or by its name in a repo. */
async function findTag(context: Context, text: string, repo?: string): Promise<Tag> {
  const { tags } = await context.client();
  if (isUid(text)) return tags.get({ uid: text }, { signal: context.signal });
  const { repo: repoName, name } = splitTag(text, repo);
  return tagNamed(context, await resolve(context, REPO, repoName), name);
}

/** Splits REPO:TAG; with a repo, the whole text is the name. */
function splitTag(text: string, repo: string | undefined): { repo: string; name: string } {
  if (repo !== undefined) return { repo, name: text };
  const colon = text.lastIndexOf(":");
  if (colon > 0) return { repo: text.slice(0, colon), name: text.slice(colon + 1) };
  throw usageError(`the repo of tag "${text}" is missing`, "write REPO:TAG, or give --repo");
}

async function tagNamed(context: Context, { uid, name: repo }: Repo, name: string): Promise<Tag> {
  const { tags } = await context.client();
  const all = { includeReferrers: true, includeDates: true, includeEpochs: true };
  const request = { name, uidp: { childrenOf: uid }, ...all };
  const [tag] = (await tags.list(request, { signal: context.signal })).tags;
  if (tag !== undefined) return tag;
  const searched = { uidp: { childrenOf: uid } };
  throw notFound(
    `${repo} has no tag "${name}"`,
    (await suggestedNames(context, { ...TAG, isNamed: true }, name, searched)) ??
      `\`wharf tags list --repo ${repo}\` lists its tags`,
  );
}
