import { durationMs } from "@bufbuild/protobuf/wkt";
import type { Upstream } from "@wharf/client";
import { ancestorsOf, UpstreamMode, UpstreamSyncState } from "@wharf/contract";
import { resourceUid } from "../access/resource-uid.ts";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import { failed } from "../errors.ts";
import { wordOf } from "../exposure/columns.ts";
import { type Column, UID } from "../output/columns.ts";
import { groupNames } from "../resolve/group-names.ts";
import { resolveScope } from "../resolve/groups.ts";
import type { Kind } from "../resolve/kinds.ts";
import { printOne, type Resource } from "../resource/run.ts";
import { updater } from "../resource/update.ts";
import { definedFields, durationOf, nonEmptyList } from "../resource/values.ts";
import type { checkDefinition, createDefinition, MODES, syncDefinition } from "./commands.ts";
import { updateDefinition } from "./commands.ts";

const UPSTREAM: Kind<Upstream> = {
  one: "upstream",
  many: "upstreams",
  listCommand: "wharf upstreams list",
  service: ({ upstreams }) => upstreams,
  label: ({ url }) => url,
  hint: ({ uid }) => uid,
};

const COLUMNS: readonly Column<Upstream>[] = [
  { header: "Address", value: ({ url, path }) => (path === "" ? url : `${url} (${path})`) },
  { header: "Mode", value: ({ mode }) => wordOf(UpstreamMode, mode) },
  { header: "Answered", value: ({ status }) => status?.lastSuccessTime },
  { header: "Failed", value: ({ status }) => status?.lastErrorTime },
  { header: "Error", value: ({ status }) => status?.lastError },
  {
    header: "Sync",
    value: ({ status }) => status?.syncState && wordOf(UpstreamSyncState, status.syncState),
  },
];

const DETAILS: readonly Column<Upstream>[] = [
  { header: "Username", value: ({ username }) => username },
  { header: "Repositories", value: ({ repositories }) => repositories },
  { header: "Tags", value: ({ tags }) => tags },
  { header: "Revalidated after", value: ({ revalidateSeconds }) => `${revalidateSeconds}s` },
  { header: "Rate limit left", value: ({ status }) => status?.rateLimitRemaining },
  { header: "Interval", value: ({ syncInterval: one }) => one && `${durationMs(one) / 1_000}s` },
  { header: "Last sync", value: ({ status }) => status?.lastSyncTime },
  { header: "Next sync", value: ({ status }) => status?.nextSyncTime },
  { header: "Tags found", value: ({ status }) => status?.syncTags || undefined },
  { header: "Tags copied", value: ({ status }) => status?.syncCopied || undefined },
  { header: "Tags failed", value: ({ status }) => status?.syncFailed || undefined },
  { header: "Sync error", value: ({ status }) => status?.syncError },
];

/** Columns that begin with the path of the group; a repo is shown by its UID below that. */
async function withTarget(
  context: Context,
  items: readonly Upstream[],
  columns: readonly Column<Upstream>[],
): Promise<readonly Column<Upstream>[]> {
  const uidsOf = ({ uid }: Upstream) => [...ancestorsOf(uid).reverse(), uid];
  const names = await groupNames(context, items.flatMap(uidsOf));
  const value = (one: Upstream) =>
    uidsOf(one)
      .map((uid) => names.get(uid) ?? uid.split("/").at(-1))
      .join("/");
  return [{ header: "Target", value }, ...columns, UID];
}

export const resource: Resource<Upstream> = {
  kind: UPSTREAM,
  columns: (context, items) => withTarget(context, items, COLUMNS),
  details: (context, items) => withTarget(context, items, [...COLUMNS, ...DETAILS]),
  find,
  async select(context, args) {
    const { upstreams } = await context.client();
    const request = {
      uidp: await resolveScope(context, args),
      ...definedFields({ orderBy: args.orderBy }),
    };
    return upstreams.listAll(request, { signal: context.signal });
  },
};

async function find(context: Context, text: string): Promise<Upstream> {
  const uid = await resourceUid(context, text);
  return (await context.client()).upstreams.get({ uid }, { signal: context.signal });
}

const NUMBERS: Readonly<Record<(typeof MODES)[number], UpstreamMode>> = {
  cache: UpstreamMode.CACHE,
  gateway: UpstreamMode.GATEWAY,
  sync: UpstreamMode.SYNC,
};

export const create: Run<typeof createDefinition> = async (context, args) => {
  const { url, mode, path, username, password, repositories, tags, revalidate, interval } = args;
  const parent = await resourceUid(context, args.target);
  const upstream = {
    ...{ url, mode: NUMBERS[mode], repositories: [...repositories], tags: [...tags] },
    ...definedFields({
      ...{ path, username, password: password?.trim(), revalidateSeconds: revalidate },
      syncInterval: interval === undefined ? undefined : durationOf(interval),
    }),
  };
  const { upstreams } = await context.client();
  const created = await upstreams.create({ parent, upstream }, { signal: context.signal });
  context.err.note(`created the upstream of ${args.target}`);
  await printOne(context, resource, created);
};

export const update = updater(updateDefinition, {
  resource,
  find: (context: Context, text: string) => find(context, text),
  fields: {
    ...{ url: "url", path: "path", username: "username", revalidateSeconds: "revalidate" },
    mode: ({ args }) => (args.mode === undefined ? undefined : NUMBERS[args.mode]),
    password: ({ args }) => args.password?.trim(),
    repositories: ({ args }) => nonEmptyList(args.repositories),
    tags: ({ args }) => nonEmptyList(args.tags),
    syncInterval: ({ args }) =>
      args.interval === undefined ? undefined : durationOf(args.interval),
  },
  send: ({ upstreams }, upstream, mask, options) =>
    upstreams.update({ upstream, updateMask: { paths: mask } }, options),
});

export const check: Run<typeof checkDefinition> = async (context, { target, ...args }) => {
  const uid = await resourceUid(context, target);
  const { upstreams } = await context.client();
  const request = { uid, ...definedFields({ repository: args.repository, tag: args.tag }) };
  const {
    problem,
    digest,
    rateLimitRemaining: rate,
  } = await upstreams.check(request, {
    signal: context.signal,
  });
  if (problem !== "") throw failed(problem);
  const left = rate === undefined ? "" : `; its rate limit leaves ${rate} requests`;
  context.err.note(`the upstream answers${digest && ` with ${digest}`}${left}`);
};

export const sync: Run<typeof syncDefinition> = async (context, { target }) => {
  const uid = await resourceUid(context, target);
  const { upstreams } = await context.client();
  const started = await upstreams.sync({ uid }, { signal: context.signal });
  context.err.note(`requested a synchronization of ${target}`);
  await printOne(context, resource, started);
};
