import type { Role } from "@wharf/client";
import type { Context } from "../context.ts";

/** Uids in one request; more make addresses too long for some proxies. */
const AT_ONCE = 40;

/**
 * Roles by uid, as far as the caller may see them.
 *
 * @example (await rolesByUid(context, [uid])).get(uid)?.capabilities
 */
export async function rolesByUid(
  { client, signal }: Context,
  uids: Iterable<string>,
): Promise<ReadonlyMap<string, Role>> {
  const { roles } = await client();
  const wanted = [...new Set(uids)];
  const found = new Map<string, Role>();
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
  uids: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const roles = await rolesByUid(context, uids);
  return new Map([...roles].map(([uid, { name }]) => [uid, name]));
}
