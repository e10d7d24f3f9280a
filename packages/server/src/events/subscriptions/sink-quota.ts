import { isSelfOrBelow, parentOf, rootOf, type Subscription } from "@wharf/contract";
import { quotaExceeded, quotasAt } from "../../engine/quotas.ts";
import type { Resource } from "../../engine/resource.ts";
import type { Mutation } from "../../engine/write/mutation.ts";

/**
 * Rejects one more subscription to a host than the quotas of its groups allow: every event is sent once for each, so
 * others could be flooded with a multiple of what a tenant does. Hosts count, because path and port can be chosen at
 * will; within an organization, because one must not use up the quota of another.
 */
export async function enforceSinkQuota(
  { deps, tx, enforcesQuotas }: Mutation,
  subscriptions: Resource<Subscription>,
  { uid, sink }: Subscription,
): Promise<void> {
  const quotas = await quotasAt(deps.catalog, tx, parentOf(uid), "subscriptions_per_sink");
  if (!enforcesQuotas || quotas.length === 0) return;
  await tx.acquireLock();
  const { hostname } = new URL(sink);
  const all = await subscriptions.where(tx, { column: "root", value: rootOf(uid) });
  const others = all.filter((one) => one.uid !== uid && URL.parse(one.sink)?.hostname === hostname);
  for (const quota of quotas) {
    const count = others.filter((one) => isSelfOrBelow(one.uid, quota.group)).length;
    if (count >= quota.max) throw quotaExceeded(quota, `subscriptions to ${hostname}`);
  }
}
