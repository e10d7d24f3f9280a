import type { DeletedTag, Repo, Tag, TagHistoryEntry } from "@wharf/client";
import { isUid, parentOf } from "@wharf/contract";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import { notFound, usageError } from "../errors.ts";
import { type Column, UID } from "../output/columns.ts";
import { DIGEST } from "../output/short.ts";
import { groupPaths, namesOf } from "../resolve/group-names.ts";
import { resolveScope } from "../resolve/groups.ts";
import { type Kind, REPO } from "../resolve/kinds.ts";
import { resolve, resolveUid } from "../resolve/resolve.ts";
import { suggestedNames } from "../resolve/suggestions.ts";
import type { FilterArgs } from "../resource/commands.ts";
import { printOne, type Resource } from "../resource/run.ts";
import { definedFields, readPastTime } from "../resource/values.ts";
import type {
  createDefinition,
  deletedDefinition,
  FILTERS,
  historyDefinition,
  protectDefinition,
  restoreDefinition,
  unprotectDefinition,
} from "./commands.ts";
import { compareVersions } from "./version-order.ts";
import { vulnerabilityColumns } from "./vulnerabilities.ts";

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
  columns: withRepo,
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
      ...definedFields({ orderBy: args.orderBy }),
      includeReferrers: args.showReferrers,
      includeDates: args.showDates,
      includeEpochs: args.showEpochs,
      ...definedFields({ name, namePrefix, digest, updatedSince }),
    };
    const all = tags.listAll(request, { signal: context.signal });
    return args.orderBy === undefined ? byVersion(context, all) : all;
  },
};

const COLUMNS: readonly Column<Tag>[] = [
  { header: "Name", value: ({ name }) => name, whole: true },
  DIGEST,
  { header: "Updated", value: ({ updateTime }) => updateTime },
  { header: "Deprecated", value: ({ deprecated }) => (deprecated ? "yes" : "no") },
  UID,
  { header: "Bundles", value: ({ bundles }) => bundles, wide: true },
  { header: "Created", value: ({ createTime }) => createTime, wide: true },
  { header: "Deletion", value: ({ deleteTime }) => deleteTime, wide: true },
];

/** Columns with the path of the repo, such as `acme/platform/app`. */
async function withRepo(context: Context, tags: readonly Tag[]): Promise<readonly Column<Tag>[]> {
  const [paths, vulnerabilities] = await Promise.all([
    repoPaths(context, tags),
    vulnerabilityColumns(context, tags),
  ]);
  const repo = { header: "Repo", value: ({ uid }: Tag) => paths.get(parentOf(uid)) };
  return [repo, ...COLUMNS, ...vulnerabilities];
}

/** Tags by the path of their repo, then by version. */
async function* byVersion(context: Context, items: AsyncIterable<Tag>): AsyncGenerator<Tag> {
  const all = await Array.fromAsync(items);
  const repos = Map.groupBy(all, ({ uid }) => parentOf(uid));
  const paths = repos.size > 1 ? await repoPaths(context, all) : undefined;
  const pathOf = (repo: string) => paths?.get(repo) ?? "";
  const inOrder = [...repos].sort(([one], [another]) => pathOf(one).localeCompare(pathOf(another)));
  for (const [, tags] of inOrder) {
    yield* tags.sort((one, another) => compareVersions(one.name, another.name));
  }
}

/** The paths of the repos of tags, by UID. */
async function repoPaths(
  context: Context,
  tags: readonly Tag[],
): Promise<ReadonlyMap<string, string>> {
  const uids = [...new Set(tags.map(({ uid }) => parentOf(uid)))];
  const [groups, names] = await Promise.all([
    groupPaths(context, uids),
    namesOf(context, REPO, uids),
  ]);
  return new Map(uids.map((uid) => [uid, `${groups.get(uid)}${names.get(uid) ?? "…"}`]));
}

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
  DIGEST,
  { header: "Since", value: ({ updateTime }) => updateTime },
];

export const history: Run<typeof historyDefinition> = async (context, args) => {
  const { uid } = await findTag(context, args.tag, args.repo);
  const { tags } = await context.client();
  const entries = tags.listHistoryAll({ uid }, { signal: context.signal });
  const id = ({ digest }: TagHistoryEntry) => digest;
  await context.out.list(entries, HISTORY_COLUMNS, { id, what: "entries", arrangement: args });
};

const DELETED_COLUMNS: readonly Column<DeletedTag>[] = [
  { header: "Name", value: ({ name }) => name, whole: true },
  DIGEST,
  { header: "Deleted", value: ({ deleteTime }) => deleteTime },
  { header: "By", value: ({ actorName, actor }) => actorName || actor },
  { header: "Restorable until", value: ({ expireTime }) => expireTime },
];

export const deleted: Run<typeof deletedDefinition> = async (context, args) => {
  const repoUid = await resolveUid(context, REPO, args.repo);
  const { deletedTags } = await context.client();
  const items = deletedTags.listAll({ repoUid }, { signal: context.signal });
  const id = ({ name }: DeletedTag) => name;
  await context.out.list(items, DELETED_COLUMNS, { id, what: "deleted tags", arrangement: args });
};

export const restore: Run<typeof restoreDefinition> = async (context, args) => {
  const { repo, name } = splitTag(args.tag, args.repo);
  const found = await resolve(context, REPO, repo);
  const { deletedTags } = await context.client();
  const request = { repoUid: found.uid, name };
  const restored = await deletedTags.restoreTag(request, { signal: context.signal });
  context.err.note(`restored ${found.name}:${name}`);
  await printOne(context, resource, restored);
};

export const protect: Run<typeof protectDefinition> = async (context, args) => {
  const { repo, name } = splitTag(args.tag, args.repo);
  const { uid: parent, name: repoName } = await resolve(context, REPO, repo);
  const { immutable } = args;
  const tagRule = { name, tags: [name], protected: true, immutable };
  const { tagRules } = await context.client();
  await tagRules.create({ parent, tagRule }, { signal: context.signal });
  context.err.note(`protected ${repoName}:${name}`);
};

export const unprotect: Run<typeof unprotectDefinition> = async (context, args) => {
  const { repo, name } = splitTag(args.tag, args.repo);
  const { uid: childrenOf, name: repoName } = await resolve(context, REPO, repo);
  const { tagRules } = await context.client();
  const { signal } = context;
  const request = { uidp: { childrenOf }, name };
  const rules = await Array.fromAsync(tagRules.listAll(request, { signal }));
  const exact = rules.filter(({ tags }) => tags.length === 1 && tags[0] === name);
  if (exact.length === 0) {
    throw notFound(`${repoName} has no rule for the tag "${name}"`, "rules of groups remain");
  }
  for (const { uid } of exact) await tagRules.delete({ uid }, { signal });
  context.err.note(`deleted the rule of ${repoName}:${name}`);
};

/** Finds a tag by UID, as REPO:TAG, or by its name in a repo. */
export async function findTag(context: Context, text: string, repo?: string): Promise<Tag> {
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
