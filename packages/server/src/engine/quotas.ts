import { ancestorsOf, isRoot } from "@wharf/contract";
import { failedPrecondition, type WharfError } from "../lib/errors.ts";
import type { Reader } from "../store/db/connection.ts";
import { countRowsBelow, countsOf } from "../store/resources/range-counts.ts";
import type { Catalog } from "./catalog.ts";
import type { ResourceMessage } from "./definition.ts";
import type { Resource } from "./resource.ts";
import type { Mutation } from "./write/mutation.ts";

/**
 * Kinds of resources with quotas, in a group and everything below it, set by the operator. Clusters are part of the
 * contract; this service has none, so their quota has no effect. `registry_mb` is in MB, because the contract has
 * integers of 32 bits (registry/usage).
 */
export const QUOTAS = [
  "clusters",
  "idps",
  "registry_mb",
  "repositories",
  "subscriptions",
  "subscriptions_per_sink",
  "tags",
] as const;

export type Quota = (typeof QUOTAS)[number];

/** The type of the violation of a quota. */
export const QUOTA_VIOLATION = "RESOURCE_LIMIT_EXCEEDED";

/** Quotas of organizations for which the operator has set none: one event is sent once for each subscription. */
const DEFAULT_QUOTAS: Readonly<Partial<Record<Quota, number>>> = {
  subscriptions: 100,
  subscriptions_per_sink: 20,
};

/** The quota of one group. */
export interface GroupQuota {
  readonly group: string;
  /** The names of the group and those above it. */
  readonly path: string;
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
  for (const quota of quotas) {
    if ((await countRowsBelow(tx, table, quota.group)) >= quota.max)
      throw quotaExceeded(quota, plural);
  }
}

/** The error of one more resource in a group that has used up a quota. */
export function quotaExceeded({ group, path, max }: GroupQuota, what: string): WharfError {
  const description = `group ${JSON.stringify(path)} has reached its quota of ${max} ${what}`;
  return failedPrecondition({ type: QUOTA_VIOLATION, subject: group, description });
}

/** Rejects one more resource by the quotas at a parent, without a lock: for a change elsewhere that must not be in vain. */
export async function checkQuota<R extends ResourceMessage>(
  catalog: Catalog,
  reader: Reader,
  resource: Resource<R>,
  parent: string,
): Promise<void> {
  const full = await fullQuota(catalog, reader, resource, parent);
  if (full !== undefined) throw quotaExceeded(full, resource.plural);
}

/** A quota at a parent that does not allow one more resource, without a lock. */
export async function fullQuota<R extends ResourceMessage>(
  catalog: Catalog,
  reader: Reader,
  { table, definition }: Resource<R>,
  parent: string,
): Promise<GroupQuota | undefined> {
  for (const quota of await quotasAt(catalog, reader, parent, definition.quota)) {
    const { descendants } = await countsOf(reader, table, { below: quota.group, self: false });
    if (descendants >= quota.max) return quota;
  }
  return undefined;
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
  const nameOf = (uid: string) => found.get(uid)?.name ?? uid;
  return [...found.values()].flatMap(({ uid, name, resourceLimits }) => {
    const max = resourceLimits[quota] ?? (isRoot(uid) ? DEFAULT_QUOTAS[quota] : undefined);
    if (max === undefined) return [];
    const above = ancestorsOf(uid).map(nameOf).reverse();
    return [{ group: uid, path: [...above, name].join("/"), max }];
  });
}
