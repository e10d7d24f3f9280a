import { Capability, capabilityName, isRoot } from "@wharf/contract";
import { ANONYMOUS_UID, type Caller } from "../../auth/caller.ts";
import type { Origin } from "../../auth/origins.ts";
import { permissionDenied, type WharfError } from "../../lib/errors.ts";
import type { Store } from "../../store/db/store.ts";
import { boundRoles } from "../../store/tables/access/identity-bindings.ts";

/**
 * Visibility of access to callers.
 *
 * - About themselves: everything that grants them something, as from `Auth/Validate`.
 * - About others at a resource: whether they may do something there, with `role_bindings.list` at the resource. That is a
 *   fact about the resource, wherever the grant comes from.
 * - About the grants of others: role bindings with `role_bindings.list`, and group mappings with
 *   `identity_providers.list`, at the grants themselves, as from their own methods. Of all others, not more than that
 *   there is one.
 * - What a role contains: with `roles.list` at the role, if it is not built in.
 */

const READ_BINDINGS = [Capability.CAP_IAM_ROLE_BINDINGS_LIST];
const READ_MAPPINGS = [Capability.CAP_IAM_IDENTITY_PROVIDERS_LIST];
const READ_IDENTITIES = [Capability.CAP_IAM_IDENTITY_LIST];
const READ_ROLES = [Capability.CAP_IAM_ROLES_LIST];
const READ_GROUPS = [Capability.CAP_IAM_GROUPS_LIST];

/** Whether the caller may read the role bindings of others at a group. */
export function mayReadBindings({ grants }: Caller, group: string): boolean {
  return grants.holds(READ_BINDINGS, group);
}

export function mayReadMapping({ grants }: Caller, uid: string): boolean {
  return grants.holds(READ_MAPPINGS, uid);
}

export function mayReadGroup({ grants }: Caller, uid: string): boolean {
  return grants.holds(READ_GROUPS, uid);
}

/** Whether the caller may read what a role contains. */
export function mayReadRole({ grants }: Caller, uid: string): boolean {
  return isRoot(uid) || grants.holds(READ_ROLES, uid);
}

/** Whether the caller may read what the roles of a group contain. */
export function mayReadRolesOf({ grants }: Caller, group: string): boolean {
  return grants.holds(READ_ROLES, group);
}

/** Whether the caller may read what grants another identity a role. */
export function mayReadOrigin(caller: Caller, { scope, mapping }: Origin): boolean {
  return mapping === undefined
    ? mayReadBindings(caller, scope)
    : mayReadMapping(caller, mapping.uid);
}

/** Rejects unless the caller may ask what others can do at a resource. */
export function mustReadAccess(caller: Caller, resource: string): void {
  if (!mayReadBindings(caller, resource)) throw accessDenied(resource);
}

export function accessDenied(resource: string): WharfError {
  return permissionDenied(READ_BINDINGS.map(capabilityName), resource);
}

/**
 * Rejects unless the caller may read an identity: itself, or in one of its role bindings, which is how people are seen.
 * The error is the same whether or not the identity exists.
 */
export async function mustReadIdentity(
  store: Store,
  caller: Caller,
  identity: string,
): Promise<void> {
  if (identity === ANONYMOUS_UID || caller.grants.holds(READ_IDENTITIES, identity)) return;
  for await (const bound of boundRoles(store.reader, identity)) {
    if (bound.some(([group]) => mayReadBindings(caller, group))) return;
  }
  throw permissionDenied(READ_IDENTITIES.map(capabilityName), identity);
}
