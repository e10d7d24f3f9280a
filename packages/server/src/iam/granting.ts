import { CapabilitySet, isRoot, isSelfOrBelow, parentOf } from "@wharf/contract";
import type { Change } from "../engine/change.ts";
import { notFound } from "../errors.ts";

/**
 * Refuses unless a role exists, can be used at a group, and grants nothing there that the caller
 * does not hold. Everything that gives a role, or promises to, asks here. Nobody deletes the role
 * before the change ends.
 *
 * @example await mayGrant(change, binding.roleUid, group);
 */
export async function mayGrant(change: Change, roleUid: string, group: string): Promise<void> {
  const { roles } = change.engine;
  const row = await roles.table.findToKeep(change.tx, roleUid);
  const usable = isRoot(roleUid) || isSelfOrBelow(group, parentOf(roleUid));
  if (row === undefined || !usable) throw notFound(roles.typeName, roleUid);
  change.mustHold(CapabilitySet.of(...roles.fromRow(row).capabilities), group);
}
