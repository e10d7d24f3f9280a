import { BUILTIN_ROLES, type Capability } from "@wharf/contract";
import type { Catalog } from "../../engine/catalog.ts";
import type { SlicedTask } from "../../lib/scheduling/time-slices.ts";
import type { Reader } from "../../store/db/connection.ts";

/** Roles decoded by one read. */
const BATCH_SIZE = 200;

/** The subset of these roles that has a capability. */
export async function rolesWith(
  { roles }: Catalog,
  reader: Reader,
  uids: Iterable<string>,
  capability: Capability,
  task?: SlicedTask,
): Promise<Set<string>> {
  const all = [...new Set(uids)];
  const having = new Set<string>();
  for (let at = 0; at < all.length; at += BATCH_SIZE) {
    const some = await roles.findMany(reader, all.slice(at, at + BATCH_SIZE));
    for (const [uid, role] of some) if (role.capabilities.includes(capability)) having.add(uid);
    await task?.pause();
  }
  return having;
}

/** All roles with a capability that can be bound at these groups: built-in ones, and those of the groups. */
export async function bindableRolesWith(
  catalog: Catalog,
  reader: Reader,
  groups: readonly string[],
  capability: Capability,
): Promise<Set<string>> {
  const builtin = BUILTIN_ROLES.map(({ uid }) => uid);
  const having = await rolesWith(catalog, reader, builtin, capability);
  for (const role of await catalog.roles.whereIn(reader, "parent", groups)) {
    if (role.capabilities.includes(capability)) having.add(role.uid);
  }
  return having;
}
