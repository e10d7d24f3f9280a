import { create, type DescMethod } from "@bufbuild/protobuf";
import {
  ancestorsOf,
  Capability,
  type GetRegistryUsageRequest,
  type QuotaUsage,
  QuotaUsageSchema,
  type RegistryUsage,
  RegistryUsageDaySchema,
  RegistryUsageSchema,
  RegistryUsageService,
  type ScopeUsage,
  ScopeUsageSchema,
} from "@wharf/contract";
import type { Caller } from "../../auth/caller.ts";
import type { ResourceStore } from "../../engine/catalog.ts";
import { quotasAt } from "../../engine/quotas.ts";
import { USAGE_HISTORY_DAYS } from "../../engine/retention.ts";
import { invalidArgument, notFound } from "../../lib/errors.ts";
import type { Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import { countsOf } from "../../store/resources/range-counts.ts";
import {
  largestContent,
  type NamedTotals,
  readContentTotals,
} from "../../store/tables/registry/content.ts";
import { type ContentDay, readContentDays } from "../../store/tables/registry/content-history.ts";
import { MB } from "./storage-quota.ts";
import { DAY_MS } from "./usage-history.ts";

const MAX_LARGEST = 20;

/** Kinds of quotas that limit the registry. */
const KINDS = ["registry_mb", "repositories", "tags"] as const;

/** The capabilities that the totals of a group need. */
const NEEDED = [Capability.CAP_REPO_LIST, Capability.CAP_TAG_LIST];

export function usageHandlers(deps: ResourceStore): [DescMethod, Handler][] {
  return [[RegistryUsageService.method.getRegistryUsage, getUsage(deps)]];
}

function getUsage(deps: ResourceStore): Handler {
  const { reader } = deps.store;
  return async (call, message) => {
    const { groupUid: group, days } = message as GetRegistryUsageRequest;
    if (days < 0 || days > USAGE_HISTORY_DAYS) {
      const description = `days must be from 0 to ${USAGE_HISTORY_DAYS}`;
      throw invalidArgument({ field: "days", description });
    }
    const { groups } = deps.catalog;
    if ((await groups.table.find(reader, group, "data")) === undefined)
      throw notFound(groups.typeName, group);
    const since = call.time - days * DAY_MS;
    const [now, quotas, repos, folders, history] = await Promise.all([
      countsIn(deps, group),
      quotasOf(deps, call.caller, group),
      largestContent(reader, group, "repos", MAX_LARGEST),
      largestContent(reader, group, "folders", MAX_LARGEST),
      days === 0 ? [] : readContentDays(reader, group, since),
    ]);
    const usage = create(RegistryUsageSchema, {
      ...{ groupUid: group, ...now, quotas },
      largestRepos: await withPaths(deps, group, repos),
      largestFolders: await withPaths(deps, group, folders),
      days: history.map(dayOf),
    });
    return messageReply(RegistryUsageSchema, usage);
  };
}

type Counted = Pick<RegistryUsage, "bytes" | "pushedBytes" | "contents" | "repos" | "tags">;

/** The current totals of a group. */
async function countsIn({ catalog, store }: ResourceStore, group: string): Promise<Counted> {
  const { reader } = store;
  const below = { below: group, self: false } as const;
  const [totals, repos, tags] = await Promise.all([
    readContentTotals(reader, [group]),
    countsOf(reader, catalog.repos.table, below),
    countsOf(reader, catalog.tags.table, below),
  ]);
  const { bytes = 0, linked = 0, contents = 0 } = totals.get(group) ?? {};
  return asCounted({ bytes, linked, contents, repos: repos.descendants, tags: tags.descendants });
}

function asCounted(day: Omit<ContentDay, "day">): Counted {
  const { bytes, linked, contents, repos, tags } = day;
  const [content, pushed] = [BigInt(bytes), BigInt(linked)];
  const numbers = { contents: BigInt(contents), repos: BigInt(repos), tags: BigInt(tags) };
  return { bytes: content, pushedBytes: pushed, ...numbers };
}

/** The quotas at a group. Those of groups above it show what these use, so the caller needs the right there, too. */
async function quotasOf(
  deps: ResourceStore,
  { grants }: Caller,
  group: string,
): Promise<QuotaUsage[]> {
  const { catalog, store } = deps;
  const found: QuotaUsage[] = [];
  for (const quota of KINDS) {
    for (const { group: uid, path, max } of await quotasAt(catalog, store.reader, group, quota)) {
      if (!grants.holds(NEEDED, uid)) continue;
      const { bytes, repos, tags } = await countsIn(deps, uid);
      const used = { registry_mb: bytes, repositories: repos, tags }[quota];
      const allowed = BigInt(max) * BigInt(quota === "registry_mb" ? MB : 1);
      const named = { quota, groupUid: uid, groupPath: path };
      found.push(create(QuotaUsageSchema, { ...named, used, allowed }));
    }
  }
  return found;
}

/** Totals with the path of names below a group. */
async function withPaths(
  { catalog, store }: ResourceStore,
  group: string,
  totals: readonly NamedTotals[],
): Promise<ScopeUsage[]> {
  const above = (scope: string) => ancestorsOf(scope).filter((uid) => uid.length > group.length);
  const folders = await catalog.groups.findMany(
    store.reader,
    totals.flatMap(({ scope }) => above(scope)),
  );
  return totals.map(({ scope, name, bytes, contents }) => {
    const names = above(scope).map((uid) => folders.get(uid)?.name ?? uid);
    const path = [...names.reverse(), name].join("/");
    return create(ScopeUsageSchema, {
      ...{ uid: scope, path, bytes: BigInt(bytes), contents: BigInt(contents) },
    });
  });
}

function dayOf(day: ContentDay) {
  const date = new Date(day.day).toISOString().slice(0, 10);
  return create(RegistryUsageDaySchema, { date, ...asCounted(day) });
}
