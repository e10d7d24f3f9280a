import type { RetentionEntry, RetentionPolicy } from "@wharf/client";
import { ancestorsOf, isUid } from "@wharf/contract";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import { type Column, UID } from "../output/columns.ts";
import { DIGEST, sizeText } from "../output/short.ts";
import { ancestorPath, groupNames, namesOf } from "../resolve/group-names.ts";
import { resolveGroupOrRepo } from "../resolve/group-or-repo.ts";
import { resolveGroup, resolveScope } from "../resolve/groups.ts";
import { type Kind, REPO } from "../resolve/kinds.ts";
import { resolveUid } from "../resolve/resolve.ts";
import { printOne, type Resource } from "../resource/run.ts";
import { updater } from "../resource/update.ts";
import { definedFields } from "../resource/values.ts";
import type { createDefinition, previewDefinition } from "./commands.ts";
import { updateDefinition } from "./commands.ts";
import { readRules, ruleText } from "./rules.ts";

const POLICY: Kind<RetentionPolicy> = {
  one: "retention policy",
  many: "retention policies",
  listCommand: "wharf retention list",
  service: ({ retentionPolicies }) => retentionPolicies,
  label: ({ uid }) => uid,
  hint: ({ description }) => description,
};

const days = (count: number | undefined, none: string) =>
  count === 0 ? none : `${count} ${count === 1 ? "day" : "days"}`;

const COLUMNS: readonly Column<RetentionPolicy>[] = [
  { header: "Keeps", value: ({ keep }) => keep.map(ruleText) },
  { header: "Untagged", value: ({ untaggedDays }) => days(untaggedDays, "kept") },
  { header: "Announced", value: ({ announceDays }) => days(announceDays, "no") },
  { header: "Restorable", value: ({ restoreDays = 7 }) => days(restoreDays, "no") },
  { header: "Description", value: ({ description }) => description, wide: true },
  UID,
  { header: "Updated", value: ({ updateTime }) => updateTime, wide: true },
];

export const resource: Resource<RetentionPolicy> = {
  kind: POLICY,
  async columns(context, items) {
    const uids = items.flatMap(({ uid }) => [uid, ...ancestorsOf(uid)]);
    const [groups, repos] = await Promise.all([
      groupNames(context, uids),
      namesOf(context, REPO, uids),
    ]);
    const names = new Map([...groups, ...repos]);
    const path = ({ uid }: RetentionPolicy) => ancestorPath(names, uid) + (names.get(uid) ?? uid);
    return [{ header: "Applies to", value: path }, ...COLUMNS];
  },
  find: findPolicy,
  async select(context, args) {
    const uidp = await resolveScope(context, args);
    const { retentionPolicies } = await context.client();
    const request = { uidp, ...definedFields({ orderBy: args.orderBy }) };
    return retentionPolicies.listAll(request, { signal: context.signal });
  },
};

async function findPolicy(context: Context, text: string): Promise<RetentionPolicy> {
  const { retentionPolicies } = await context.client();
  return retentionPolicies.get({ uid: await scopeUid(context, text) }, { signal: context.signal });
}

/** The UID of a group, or of a repo of this name. */
async function scopeUid(context: Context, text: string): Promise<string> {
  if (isUid(text)) return text;
  const group = await resolveGroup(context, text).catch(() => undefined);
  return group?.uid ?? resolveUid(context, REPO, text);
}

export const create: Run<typeof createDefinition> = async (context, args) => {
  const { untaggedDays, announceDays, restoreDays, description } = args;
  const parent = await resolveGroupOrRepo(context, args);
  const retentionPolicy = {
    keep: readRules(args.keep),
    ...definedFields({ untaggedDays, announceDays, restoreDays, description }),
  };
  const { retentionPolicies } = await context.client();
  const request = { parent, retentionPolicy };
  const created = await retentionPolicies.create(request, { signal: context.signal });
  context.err.note("created the policy: `wharf retention preview` shows what it deletes");
  await printOne(context, resource, created);
};

export const update = updater(updateDefinition, {
  resource,
  find: findPolicy,
  fields: {
    keep: ({ args }) => (args.keep.length === 0 ? undefined : readRules(args.keep)),
    ...{ untaggedDays: "untaggedDays", announceDays: "announceDays", restoreDays: "restoreDays" },
    description: "description",
  },
  send: ({ retentionPolicies }, retentionPolicy, mask, options) =>
    retentionPolicies.update({ retentionPolicy, updateMask: { paths: mask } }, options),
});

const ENTRY_COLUMNS: readonly Column<RetentionEntry>[] = [
  { header: "Repo", value: ({ repo }) => repo },
  { header: "Tag", value: ({ tag }) => tag, whole: true },
  DIGEST,
  { header: "Deleted", value: ({ deleteTime }) => deleteTime },
  { header: "Rule", value: ({ rule }) => rule },
  { header: "Reason", value: ({ reason }) => reason },
  { header: "Announced", value: ({ announced }) => (announced ? "yes" : "no"), wide: true },
];

const PAGE_SIZE = 1_000;

export const preview: Run<typeof previewDefinition> = async (context, args) => {
  const { untaggedDays, announceDays, restoreDays } = args;
  const uid = await scopeUid(context, args.scope);
  const { retentionPolicies } = await context.client();
  const { signal } = context;
  const changes = definedFields({ untaggedDays, announceDays, restoreDays });
  const isGiven = args.keep.length + Object.keys(changes).length > 0;
  const policy = isGiven ? { retentionPolicy: { keep: readRules(args.keep), ...changes } } : {};
  let summary = "";
  async function* entries(): AsyncGenerator<RetentionEntry> {
    for (let pageToken = "", isLast = false; !isLast; isLast = pageToken === "") {
      const request = { uid, ...policy, pageSize: PAGE_SIZE, pageToken };
      const page = await retentionPolicies.previewRetention(request, { signal });
      yield* page.entries;
      ({ nextPageToken: pageToken } = page);
      const {
        deletedTags = 0n,
        tags = 0n,
        deletedImages = 0n,
        images = 0n,
        freedBytes = 0n,
      } = page.summary ?? {};
      const part = (some: bigint, all: bigint) =>
        `${some.toLocaleString("en-US")} of ${all.toLocaleString("en-US")}`;
      summary = `${part(deletedTags, tags)} tags, ${part(deletedImages, images)} images, ${sizeText(freedBytes)}`;
    }
  }
  const id = ({ repo, tag, digest }: RetentionEntry) =>
    tag ? `${repo}:${tag}` : `${repo}@${digest}`;
  await context.progress("evaluating", () =>
    context.out.list(entries(), ENTRY_COLUMNS, {
      id,
      what: "tags or images to delete",
      arrangement: args,
    }),
  );
  context.err.note(summary);
};
