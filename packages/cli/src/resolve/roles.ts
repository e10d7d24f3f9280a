import type { Role } from "@wharf/client";
import { type BuiltinRole, builtinRoleByUid } from "@wharf/contract";
import type { Context } from "../context.ts";
import { batchesOf } from "./group-names.ts";

export type RoleSummary = Pick<Role, "uid" | "name"> & Pick<BuiltinRole, "capabilities">;

/** Roles by UID: built-in ones, which every server has, and others that the caller can see. */
export async function rolesByUid(
  { client, signal }: Context,
  uids: readonly string[],
): Promise<ReadonlyMap<string, RoleSummary>> {
  const { roles } = await client();
  const found = new Map<string, RoleSummary>();
  for (const uid of uids) {
    const role = builtinRoleByUid(uid);
    if (role !== undefined) found.set(uid, role);
  }
  for (const ids of batchesOf(uids.filter((uid) => !found.has(uid)))) {
    for await (const role of roles.listAll({ uidp: { ids } }, { signal })) {
      found.set(role.uid, role);
    }
  }
  return found;
}
