import { builtinRole, isRoot, parentOf, type RoleBinding, rootOf } from "@wharf/contract";
import type { ResourceAccess } from "../engine/catalog.ts";
import type { Mutation } from "../engine/write/mutation.ts";
import { failedPrecondition } from "../lib/errors.ts";
import type { Transaction } from "../store/db/commit/transaction.ts";
import { bindingsOfRole, groupsOfRole } from "../store/tables/access/identity-bindings.ts";

/**
 * The owners of an organization are the identities that the built-in role `owner` is bound to at the organization
 * itself, and that can sign in. Custom roles and group mappings make nobody an owner: a change of the role, a release
 * with a new capability, or a change at the identity provider would take that away unnoticed.
 *
 * An organization that has an owner keeps one: without, nobody in it could ever grant anything again. Only the operator
 * can take the last one away, because the operator can also grant the role again.
 */
export const OWNER_ROLE = builtinRole("owner")?.uid ?? "";

/** The things that a change takes away, and the identities that it makes owners. */
export interface OwnerChange {
  /** The uid of a role binding. */
  readonly binding?: string;
  readonly identity?: string;
  /** The uid of an identity provider. */
  readonly provider?: string;
  readonly added?: readonly string[];
}

/** The identities that own an organization, after a change. */
export async function* ownersOf(
  { catalog, access }: Pick<ResourceAccess, "access" | "catalog">,
  tx: Transaction,
  organization: string,
  change: OwnerChange = {},
): AsyncIterable<string> {
  const bindings = await bindingsOfRole(tx, organization, OWNER_ROLE);
  const bound = bindings.filter(({ uid }) => uid !== change.binding);
  const uids = new Set([...(change.added ?? []), ...bound.map(({ identity }) => identity)]);
  for (const uid of uids) {
    if (uid === change.identity) continue;
    const identity = await catalog.identities.find(tx, uid);
    if (identity === undefined) continue;
    if (await access.hasLastingSignIn(tx, identity, organization, change.provider)) yield uid;
  }
}

export async function hasOwner(
  deps: Pick<ResourceAccess, "access" | "catalog">,
  tx: Transaction,
  organization: string,
  change?: OwnerChange,
): Promise<boolean> {
  for await (const _owner of ownersOf(deps, tx, organization, change)) return true;
  return false;
}

/**
 * Rejects a change that leaves an organization without an owner. Holds the global lock until the commit: no other change
 * of access, on any replica, can take away the owner that was found.
 */
export async function mustKeepOwner(
  { deps, tx, caller }: Pick<Mutation, "deps" | "tx"> & Partial<Pick<Mutation, "caller">>,
  organization: string,
  change?: OwnerChange,
): Promise<void> {
  if (caller?.isOperator) return;
  await tx.acquireLock();
  if (await hasOwner(deps, tx, organization, change)) return;
  const name = (await deps.catalog.groups.find(tx, organization))?.name ?? "";
  const description = `${JSON.stringify(name)} would have no owner left: grant the role owner there to another identity first`;
  throw failedPrecondition({ type: "LAST_OWNER", subject: organization, description });
}

/** Rejects the removal of a role binding of the last owner. */
export async function checkBindingRemoval(
  mutation: Mutation,
  { uid, roleUid }: RoleBinding,
  change: OwnerChange = { binding: uid },
): Promise<void> {
  const group = parentOf(uid);
  if (roleUid === OWNER_ROLE && isRoot(group)) await mustKeepOwner(mutation, group, change);
}

/**
 * Rejects a change after which an identity, as the last owner, can no longer sign in. The workloads of an organization
 * can own others, which bound the role without asking: only their own one protects them.
 */
export async function checkIdentityRemoval(mutation: Mutation, identity: string): Promise<void> {
  for (const group of await groupsOfRole(mutation.tx, identity, OWNER_ROLE)) {
    const isProtected = isRoot(identity) ? isRoot(group) : rootOf(identity) === group;
    if (isProtected) await mustKeepOwner(mutation, group, { identity });
  }
}
