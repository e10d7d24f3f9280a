import {
  Capability,
  CapabilitySet,
  type IdentityProvider,
  isRoot,
  isSelfOrBelow,
  parentOf,
  type Role,
} from "@wharf/contract";
import type { Mutation } from "../engine/mutation.ts";
import { notFound, WharfError } from "../lib/errors.ts";

/**
 * Refuses unless a role exists, can be used at a group, and grants nothing there that the caller
 * does not hold. Everything that gives a role, or promises to, asks here. Nobody deletes the role
 * before the change ends.
 *
 * @example await mayGrant(change, binding.roleUid, group);
 */
export async function checkGrantable(
  change: Mutation,
  roleUid: string,
  group: string,
): Promise<void> {
  const { roles } = change.engine.catalog;
  const row = await roles.table.findToKeep(change.tx, roleUid);
  const usable = isRoot(roleUid) || isSelfOrBelow(group, parentOf(roleUid));
  if (row === undefined || !usable) throw notFound(roles.typeName, roleUid);
  mustHoldRole(change, roles.fromRow(row), group);
}

/**
 * Rejects unless the caller holds every capability of a role at a group. The missing capabilities are
 * named only to callers who may read the role; to others the refusal would list its contents.
 */
export function mustHoldRole(change: Mutation, role: Role, group: string): void {
  const { grants } = change.caller;
  const capabilities = CapabilitySet.of(...role.capabilities);
  const isReadable = isRoot(role.uid) || grants.holds(READ_ROLES, role.uid);
  if (isReadable) change.mustHold(capabilities, group);
  if (grants.holds(capabilities, group)) return;
  const text = `needs every capability of the role at ${JSON.stringify(group)}`;
  throw new WharfError("PERMISSION_DENIED", text);
}

const READ_ROLES = [Capability.CAP_IAM_ROLES_LIST];

/**
 * Refuses unless the caller holds all that an identity provider gives to whoever comes through it: its
 * default role, and the role of every mapping. Whatever decides who is let in, or which groups they are
 * in, asks here.
 *
 * @example await mayLetIn(change, provider);
 */
export async function checkProviderGrantable(
  change: Mutation,
  { uid, defaultRole }: Pick<IdentityProvider, "uid" | "defaultRole">,
): Promise<void> {
  const { externalGroupRoleMappings: mappings } = change.engine.catalog;
  await checkGrantable(change, defaultRole, parentOf(uid));
  for (const { roleUid, scope } of await mappings.where(change.tx, {
    column: "parent",
    value: uid,
  }))
    await checkGrantable(change, roleUid, scope);
}
