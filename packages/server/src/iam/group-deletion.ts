import type { DeleteGroupRequest, Group } from "@wharf/contract";
import { audit } from "../engine/audit.ts";
import type { Engine } from "../engine/engine.ts";
import { Mutation } from "../engine/mutation.ts";
import type { Resource } from "../engine/resource.ts";
import { deleteMethod } from "../engine/write.ts";
import { failedPrecondition, notFound } from "../lib/errors.ts";
import type { Handler } from "../rpc/call.ts";
import type { Transaction } from "../store/db/group-commit.ts";
import { readPositions } from "../store/resources/page.ts";
import { countsOf } from "../store/resources/range-counts.ts";
import type { ResourceTable } from "../store/resources/resource-table.ts";
import { forgetRegistrySettings } from "../store/tables/registry-settings.ts";
import { forgetSubpackages } from "../store/tables/subpackages.ts";
import { forgetVulnerabilities } from "../store/tables/vulnerabilities.ts";
import { checkNameReleasable } from "./folder-names.ts";

/**
 * So much of what is left of deleted ones goes in one transaction, which everyone who writes waits for.
 * Where there is more, several go before the one that deletes the group.
 */
const REMAINS_AT_ONCE = 250;

/**
 * Deletes a group that holds nothing any more.
 *
 * @example methods: (engine) => ({ DeleteGroup: deleteGroup(engine) })
 */
export function deleteGroup(engine: Engine): Handler {
  const {
    store,
    catalog: { groups },
  } = engine;
  const deleteRest = deleteMethod(groups, engine);
  return async (call, request) => {
    const { uid } = request as DeleteGroupRequest;
    const removeSome = () =>
      store.write(async (tx) => {
        const change = new Mutation(call, tx, engine);
        // Each piece anew: the caller may have lost the right to it since the last.
        await change.confirmAccess(uid);
        if ((await groups.table.findForChange(tx, uid)) === undefined) {
          throw notFound(groups.typeName, uid);
        }
        await refuseUnlessEmpty(change, uid);
        await audit(tx, call, { resource: uid, detail: { emptied: true } });
        return removeRemains(change, uid, REMAINS_AT_ONCE);
      });
    while ((await hasManyRemains(engine, uid)) && (await removeSome()) > 0);
    return deleteRest(call, request);
  };
}

/**
 * Refuses while anything is left. The caller's own role bindings at the group do not count: without
 * them the caller could not delete it, and with it they go.
 */
export async function beforeDelete(change: Mutation, deleted: Group): Promise<void> {
  const { engine, tx } = change;
  const { uid } = deleted;
  await refuseUnlessEmpty(change, uid);
  await checkNameReleasable(change, deleted);
  await removeRemains(change, uid, Number.MAX_SAFE_INTEGER);
  const bindings = await engine.catalog.roleBindings.where(tx, { column: "parent", value: uid });
  for (const binding of bindings) await change.remove(engine.catalog.roleBindings, binding.uid);
  await forgetRegistrySettings(tx, uid);
  await forgetVulnerabilities(tx, uid);
  await forgetSubpackages(tx, uid);
}

async function refuseUnlessEmpty(change: Mutation, group: string): Promise<void> {
  const { engine, tx, caller } = change;
  for (const resource of engine.resources) {
    if (resource.table === engine.catalog.roleBindings.table) continue;
    await refuseFreshRemains(change, resource, group);
    if (await holdsAny(change, resource, group)) throw notEmpty(resource.plural);
  }
  const bindings = await engine.catalog.roleBindings.where(tx, { column: "parent", value: group });
  if (bindings.some((binding) => binding.identityUid !== caller.uid)) {
    throw notEmpty(engine.catalog.roleBindings.plural);
  }
}

/** Whether a group holds one that is there, and not only what is left of deleted ones. */
async function holdsAny({ tx }: Mutation, resource: Resource, group: string): Promise<boolean> {
  const { table, definition } = resource;
  const { softDelete, index } = definition;
  if (softDelete === undefined || index?.partitions === undefined) {
    return table.hasAny(tx, { column: "parent", value: group });
  }
  for (const part of index.partitions.all) {
    if (part !== softDelete.partition && (await latestIn(tx, table, group, part)) !== undefined)
      return true;
  }
  return false;
}

/** Not everyone who keeps a copy has had time to learn of what was deleted lately. */
async function refuseFreshRemains(
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

/** When one of a part of a group last changed; undefined where there is none. */
async function latestIn(
  tx: Transaction,
  table: ResourceTable,
  group: string,
  part: number,
): Promise<number | undefined> {
  const range = { childrenOf: group, partitions: [part] };
  const order = { column: "updated", descending: true } as const;
  const query = { range, filters: [], order, offset: 0, limit: 1 };
  const [newest] = await readPositions(tx, table, query);
  return newest && Number(newest.key);
}

async function hasManyRemains({ resources, store }: Engine, group: string): Promise<boolean> {
  for (const { definition, table } of resources) {
    if (definition.softDelete === undefined) continue;
    const range = { childrenOf: group, partitions: [definition.softDelete.partition] };
    if ((await countsOf(store.reader, table, range)).children > REMAINS_AT_ONCE) return true;
  }
  return false;
}

/** Removes what is left of deleted ones, at most so much of each kind; returns how much it was. */
async function removeRemains(
  { engine, tx }: Mutation,
  group: string,
  most: number,
): Promise<number> {
  let removed = 0;
  for (const { definition, table } of engine.resources) {
    if (definition.softDelete === undefined) continue;
    removed += await table.deleteChildren(tx, group, most, [definition.softDelete.partition]);
  }
  return removed;
}

function notEmpty(plural: string): Error {
  const description = `cannot delete group with child ${plural}`;
  return failedPrecondition({ type: "RESOURCE_NOT_EMPTY", description });
}
