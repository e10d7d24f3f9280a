import { type Identity, isRoot, parentOf, type RoleBinding, rootOf } from "@wharf/contract";
import type { Mutation } from "../engine/write/mutation.ts";
import { BoundedCache } from "../lib/bounded-cache.ts";
import { alreadyExists } from "../lib/errors.ts";
import type { Store } from "../store/db/store.ts";
import { lockBinding } from "../store/tables/access/identity-bindings.ts";
import { readOrganizationSettings } from "../store/tables/organization-settings.ts";

/**
 * An organization can require that siblings differ. By default they need not: the contract allows it, and clients rely on
 * it. Terraform, for example, can create the successor of an identity or a role binding before it deletes the
 * predecessor.
 *
 * Locks on what must be unique serialize concurrent requests on all replicas. Folders are in folder-names.ts.
 */

/** Rejects an identity with the name of another one in its group, where siblings must differ. */
export async function checkIdentityIsUnique(
  mutation: Mutation,
  { uid, name }: Identity,
): Promise<void> {
  if (isRoot(uid) || !(await requiresUniqueSiblings(mutation, uid))) return;
  const { table, typeName } = mutation.deps.catalog.identities;
  const holder = await table.lockNamed(mutation.tx, parentOf(uid), name);
  if (holder !== undefined && holder !== uid) throw alreadyExists(typeName, name);
}

/** Rejects a role binding of the same identity and role as another one at its group, where siblings must differ. */
export async function checkBindingIsUnique(
  mutation: Mutation,
  { uid, identityUid, roleUid }: RoleBinding,
): Promise<void> {
  if (!(await requiresUniqueSiblings(mutation, uid))) return;
  const twin = await lockBinding(mutation.tx, identityUid, parentOf(uid), roleUid);
  const { typeName } = mutation.deps.catalog.roleBindings;
  if (twin !== undefined && twin !== uid) throw alreadyExists(typeName, twin);
}

interface KnownSettings {
  version: number;
  readonly byRoot: BoundedCache<string, boolean>;
}

const MAX_CACHED_ORGANIZATIONS = 10_000;

const known = new WeakMap<Store, KnownSettings>();

/**
 * Whether siblings in the organization of a resource must differ. Every create asks, and few organizations require it,
 * so the answer is cached for an access version, which a change of the setting advances. The transaction relies on that
 * version: it runs again if it has changed.
 */
export async function requiresUniqueSiblings(
  { deps, tx, caller }: Mutation,
  uid: string,
): Promise<boolean> {
  const { store } = deps;
  const root = rootOf(uid);
  const version = await tx.relyOnAccess(caller.version);
  let settings = known.get(store);
  if (settings === undefined || settings.version !== version) {
    settings = { version, byRoot: new BoundedCache({ maxEntries: MAX_CACHED_ORGANIZATIONS }) };
    known.set(store, settings);
  }
  const cached = settings.byRoot.get(root);
  if (cached !== undefined) return cached;
  // The committed setting: the transaction may be rolled back.
  const { uniqueSiblings } = await readOrganizationSettings(store.reader, root);
  settings.byRoot.set(root, uniqueSiblings);
  return uniqueSiblings;
}
