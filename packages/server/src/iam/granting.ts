import {
  Capability,
  CapabilitySet,
  type IdentityProvider,
  isReadOnly,
  isRoot,
  isSelfOrBelow,
  parentOf,
  type Role,
} from "@wharf/contract";
import { requireRecentSignIn } from "../auth/recent-sign-in.ts";
import type { Mutation } from "../engine/write/mutation.ts";
import { notFound, WharfError } from "../lib/errors.ts";

/**
 * Rejects unless a role exists, is usable at a group, and grants nothing there that the caller lacks. A role that can write
 * needs a recent sign-in in the browser: it would outlast a stolen session.
 * Everything that binds a role, or promises to, calls this. The role is locked against deletion until
 * the transaction ends.
 */
export async function checkGrantable(
  mutation: Mutation,
  roleUid: string,
  group: string,
): Promise<void> {
  const { roles } = mutation.deps.catalog;
  const row = await roles.table.findToKeep(mutation.tx, roleUid);
  const usable = isRoot(roleUid) || isSelfOrBelow(group, parentOf(roleUid));
  if (row === undefined || !usable) throw notFound(roles.typeName, roleUid);
  const role = roles.fromRow(row);
  mustHoldRole(mutation, role, group);
  requireSignInToGrant(mutation, role.capabilities);
}

/** Rejects callers in a browser without a recent sign-in, unless the capabilities only read. */
export function requireSignInToGrant(
  { caller, call }: Mutation,
  capabilities: readonly Capability[],
): void {
  if (!capabilities.every(isReadOnly)) requireRecentSignIn(caller, call.time);
}

/**
 * Rejects unless the caller holds every capability of a role at a group. The missing capabilities are
 * named only to callers who may read the role; to others the error would disclose its contents.
 */
export function mustHoldRole(mutation: Mutation, role: Role, group: string): void {
  const { grants } = mutation.caller;
  const capabilities = CapabilitySet.of(...role.capabilities);
  const isReadable = isRoot(role.uid) || grants.holds(READ_ROLES, role.uid);
  if (isReadable) mutation.mustHold(capabilities, group);
  if (grants.holds(capabilities, group)) return;
  const text = `needs every capability of the role at ${JSON.stringify(group)}`;
  throw new WharfError("PERMISSION_DENIED", text);
}

const READ_ROLES = [Capability.CAP_IAM_ROLES_LIST];

/**
 * Rejects unless the caller holds every role that an identity provider grants to its users: the default
 * role, and the role of every mapping. Every change that decides who can sign in through a provider, or
 * which external groups users are in, calls this.
 */
export async function checkProviderGrantable(
  mutation: Mutation,
  { uid, defaultRole }: Pick<IdentityProvider, "uid" | "defaultRole">,
): Promise<void> {
  const { externalGroupRoleMappings: mappings } = mutation.deps.catalog;
  await checkGrantable(mutation, defaultRole, parentOf(uid));
  for (const { roleUid, scope } of await mappings.where(mutation.tx, {
    column: "parent",
    value: uid,
  }))
    await checkGrantable(mutation, roleUid, scope);
}
