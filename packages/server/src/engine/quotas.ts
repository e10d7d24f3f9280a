import { ancestorsOf, isRoot } from "@wharf/contract";
import { failedPrecondition, type WharfError } from "../lib/errors.ts";
import type { Reader } from "../store/db/connection.ts";
import { countBelow, readCounts } from "../store/resources/counts.ts";
import type { Catalog } from "./catalog.ts";
import type { ResourceMessage } from "./definition.ts";
import type { Resource } from "./resource.ts";
import type { Mutation } from "./write/mutation.ts";

/**
 * Kinds of resources with quotas, in a group and everything below it, set by the operator. Clusters are part of the
 * contract; this service has none, so their quota has no effect.
 */
export const QUOTAS = [
  "clusters",
  "idps",
  "repositories",
  "subscriptions",
  "subscriptions_per_sink",
] as const;

export type Quota = (typeof QUOTAS)[number];

/** Quotas of organizations for which the operator has set none: one event is sent once for each subscription. */
const DEFAULT_QUOTAS: Readonly<Partial<Record<Quota, number>>> = {
  subscriptions: 100,
  subscriptions_per_sink: 20,
};

/** The quota of one group. */
export interface GroupQuota {
  readonly group: string;
  readonly max: number;
}

/**
 * Rejects one more resource in a group that has used up its quota, or that is below such a group. Where
 * a quota applies, a lock serializes all creations on all replicas, so that no two of them use the last
 * unit. Without a quota this reads the groups above and nothing else.
 */
export async function enforceQuota<R extends ResourceMessage>(
  { deps, tx }: Mutation,
  { table, definition, plural }: Resource<R>,
  parent: string,
): Promise<void> {
  const quotas = await quotasAt(deps.catalog, tx, parent, definition.quota);
  if (quotas.length > 0) await tx.acquireLock();
  for (const { group, max } of quotas) {
    if ((await countBelow(tx, table.shape.name, group)) < max) continue;
    throw quotaExceeded({ group, max }, plural);
  }
}

/** The error of one more resource in a group that has used up a quota. */
export function quotaExceeded({ group, max }: GroupQuota, what: string): WharfError {
  const description = `group ${JSON.stringify(group)} has reached its quota of ${max} ${what}`;
  return failedPrecondition({ type: "RESOURCE_LIMIT_EXCEEDED", subject: group, description });
}

/** Whether the quotas at a group allow one more resource, without a lock. */
export async function hasQuotaLeft<R extends ResourceMessage>(
  catalog: Catalog,
  reader: Reader,
  { table, definition }: Resource<R>,
  parent: string,
): Promise<boolean> {
  for (const { group, max } of await quotasAt(catalog, reader, parent, definition.quota)) {
    const { descendants } = await readCounts(reader, table.shape.name, group);
    if (descendants >= max) return false;
  }
  return true;
}

/** The quotas of a group and of those above it. */
export async function quotasAt(
  { groups }: Catalog,
  reader: Reader,
  parent: string,
  quota: Quota | undefined,
): Promise<GroupQuota[]> {
  if (quota === undefined) return [];
  const found = await groups.findMany(reader, [parent, ...ancestorsOf(parent)]);
  return [...found.values()].flatMap(({ uid, resourceLimits }) => {
    const max = resourceLimits[quota] ?? (isRoot(uid) ? DEFAULT_QUOTAS[quota] : undefined);
    return max === undefined ? [] : [{ group: uid, max }];
  });
}
