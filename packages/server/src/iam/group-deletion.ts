import type { DeleteGroupRequest, Group } from "@wharf/contract";
import { audit } from "../engine/audit/audit.ts";
import { type ResourceStore, resourcesOf } from "../engine/catalog.ts";
import type { Resource } from "../engine/resource.ts";
import { Mutation, type WriteDeps } from "../engine/write/mutation.ts";
import { deleteMethod } from "../engine/write/write.ts";
import { failedPrecondition, notFound, tooLargeToTry } from "../lib/errors.ts";
import type { Handler } from "../rpc/call.ts";
import type { Transaction } from "../store/db/commit/transaction.ts";
import { readPositions } from "../store/resources/page.ts";
import { countsOf } from "../store/resources/range-counts.ts";
import type { ResourceTable } from "../store/resources/resource-table.ts";
import { addDeletedGroup } from "../store/tables/access/deleted-groups.ts";
import { forgetSources } from "../store/tables/advisories/sources.ts";
import { forgetSubpackages } from "../store/tables/advisories/subpackages.ts";
import { forgetVulnerabilities } from "../store/tables/advisories/vulnerabilities.ts";
import { forgetOrganizationSettings } from "../store/tables/organization-settings.ts";
import { forgetContent } from "../store/tables/registry/content.ts";
import { forgetAliases } from "../store/tables/registry/path-aliases.ts";
import { forgetRegistrySettings } from "../store/tables/registry/settings.ts";
import { checkNameReleasable } from "./folder-names.ts";

/**
 * Tombstones deleted in one transaction, which blocks all other writes. If there are more, earlier transactions precede
 * the one that deletes the group.
 */
const TOMBSTONE_BATCH_SIZE = 250;

/** Deletes an empty group. */
export function deleteGroup(deps: WriteDeps): Handler {
  const {
    store,
    catalog: { groups },
  } = deps;
  const deleteRest = deleteMethod(groups, deps);
  return async (call, request) => {
    const { uid } = request as DeleteGroupRequest;
    const deleteBatch = () =>
      store.writeFor(call, async (tx) => {
        const mutation = new Mutation(call, tx, deps);
        // For each batch again: the caller may have lost the capability since the last one.
        await mutation.confirmAccess(uid);
        if ((await groups.table.findForChange(tx, uid)) === undefined) {
          throw notFound(groups.typeName, uid);
        }
        await rejectUnlessEmpty(mutation, uid);
        await audit(tx, call, { resource: uid, detail: { emptied: true } });
        return deleteTombstones(mutation, uid, TOMBSTONE_BATCH_SIZE);
      });
    if (call.isDryRun && (await hasManyTombstones(deps, uid))) throw tooLargeToTry();
    while ((await hasManyTombstones(deps, uid)) && (await deleteBatch()) > 0);
    return deleteRest(call, request);
  };
}

/**
 * Rejects unless the group is empty. The caller's own role bindings at the group do not count: the
 * caller needs them to delete the group, and they are deleted with it.
 */
export async function beforeDelete(
  mutation: Mutation,
  deleted: Group,
  registries: readonly string[],
): Promise<void> {
  const { deps, tx } = mutation;
  const { uid } = deleted;
  await rejectUnlessEmpty(mutation, uid);
  await checkNameReleasable(mutation, deleted, registries);
  await deleteTombstones(mutation, uid, Number.MAX_SAFE_INTEGER);
  const bindings = await deps.catalog.roleBindings.where(tx, { column: "parent", value: uid });
  for (const binding of bindings) await mutation.remove(deps.catalog.roleBindings, binding.uid);
  await addDeletedGroup(tx, uid, mutation.caller.uid, mutation.call.time);
  await forgetRegistrySettings(tx, uid);
  await forgetContent(tx, uid);
  await forgetAliases(tx, uid);
  await forgetOrganizationSettings(tx, uid);
  await forgetVulnerabilities(tx, uid);
  await forgetSubpackages(tx, uid);
  await forgetSources(tx, uid);
}

async function rejectUnlessEmpty(mutation: Mutation, group: string): Promise<void> {
  const { deps, tx, caller } = mutation;
  for (const resource of resourcesOf(deps.catalog)) {
    if (resource.table === deps.catalog.roleBindings.table) continue;
    await rejectRecentTombstones(mutation, resource, group);
    if (await hasAny(mutation, resource, group)) throw notEmpty(resource.plural);
  }
  const bindings = await deps.catalog.roleBindings.where(tx, { column: "parent", value: group });
  if (bindings.some((binding) => binding.identityUid !== caller.uid)) {
    throw notEmpty(deps.catalog.roleBindings.plural);
  }
}

/** Whether a group has resources other than tombstones. */
async function hasAny({ tx }: Mutation, resource: Resource, group: string): Promise<boolean> {
  const { table, definition } = resource;
  const { softDelete, index } = definition;
  if (softDelete === undefined || index?.partitions === undefined) {
    return table.hasAny(tx, { column: "parent", value: group });
  }
  for (const partition of index.partitions.all) {
    if (
      partition !== softDelete.partition &&
      (await latestIn(tx, table, group, partition)) !== undefined
    )
      return true;
  }
  return false;
}

/** Clients that mirror a list must have had time to learn of recent deletions. */
async function rejectRecentTombstones(
  { call, tx }: Mutation,
  { definition: { softDelete }, table, plural }: Resource,
  group: string,
): Promise<void> {
  if (softDelete === undefined) return;
  const latest = await latestIn(tx, table, group, softDelete.partition);
  if (latest === undefined || latest <= call.time - softDelete.retentionMs) return;
  const days = softDelete.retentionMs / (24 * 3_600_000);
  const description = `cannot delete group with child ${plural} that were deleted in the last ${days} days`;
  throw failedPrecondition({ type: "RESOURCE_NOT_EMPTY", description });
}

/** The latest update in a partition of a group; undefined if the partition is empty. */
async function latestIn(
  tx: Transaction,
  table: ResourceTable,
  group: string,
  partition: number,
): Promise<number | undefined> {
  const range = { childrenOf: group, partitions: [partition] };
  const order = { column: "updated", descending: true } as const;
  const query = { range, filters: [], order, offset: 0, limit: 1 };
  const [newest] = await readPositions(tx, table, query);
  return newest && Number(newest.key);
}

async function hasManyTombstones(
  { catalog, store }: ResourceStore,
  group: string,
): Promise<boolean> {
  for (const { definition, table } of resourcesOf(catalog)) {
    if (definition.softDelete === undefined) continue;
    const range = { childrenOf: group, partitions: [definition.softDelete.partition] };
    if ((await countsOf(store.reader, table, range)).children > TOMBSTONE_BATCH_SIZE) return true;
  }
  return false;
}

/** Deletes tombstones of a group, up to a maximum for each resource; returns their number. */
async function deleteTombstones(
  { deps, tx }: Mutation,
  group: string,
  most: number,
): Promise<number> {
  let removed = 0;
  for (const { definition, table } of resourcesOf(deps.catalog)) {
    if (definition.softDelete === undefined) continue;
    removed += await table.deleteChildren(tx, group, most, [definition.softDelete.partition]);
  }
  return removed;
}

function notEmpty(plural: string): Error {
  const description = `cannot delete group with child ${plural}`;
  return failedPrecondition({ type: "RESOURCE_NOT_EMPTY", description });
}
