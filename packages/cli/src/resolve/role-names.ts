import type { Role } from "@wharf/client";
import { type BuiltinRole, builtinRoleByUid } from "@wharf/contract";
import type { Context } from "../context.ts";

/** Uids in one request; more make addresses too long for some proxies. */
const AT_ONCE = 40;

/** What is known of a role. */
export type RoleView = Pick<Role, "uid" | "name"> & Pick<BuiltinRole, "capabilities">;

/**
 * Roles by uid: those built in, which are the same everywhere, and others as far as the caller may see
 * them.
 */
export async function rolesByUid(
  { client, signal }: Context,
  uids: readonly string[],
): Promise<ReadonlyMap<string, RoleView>> {
  const { roles } = await client();
  const found = new Map<string, RoleView>();
  for (const uid of uids) {
    const role = builtinRoleByUid(uid);
    if (role !== undefined) found.set(uid, role);
  }
  const wanted = [...new Set(uids)].filter((uid) => !found.has(uid));
  for (let at = 0; at < wanted.length; at += AT_ONCE) {
    const ids = wanted.slice(at, at + AT_ONCE);
    for await (const role of roles.listAll({ uidp: { ids } }, { signal }))
      found.set(role.uid, role);
  }
  return found;
}

/** Their names alone. */
export async function roleNames(
  context: Context,
  uids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const roles = await rolesByUid(context, uids);
  return new Map([...roles].map(([uid, { name }]) => [uid, name]));
}
