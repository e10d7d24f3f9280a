import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { BUILTIN_ROLES, RoleSchema } from "@wharf/contract";
import type { Store } from "../store/store.ts";
import { roles } from "./roles.ts";

/**
 * Brings the stored built-in roles in line with the contract. They are rows like any other, so that
 * lists, look-ups and bindings need not tell them apart.
 *
 * @example await storeBuiltinRoles(store, Date.now());
 */
export async function storeBuiltinRoles(store: Store, now: number): Promise<void> {
  const known = await roles.findMany(
    store.reader,
    BUILTIN_ROLES.map((role) => role.uid),
  );
  const wanted = BUILTIN_ROLES.map((builtin) => {
    const before = known.get(builtin.uid);
    const role = create(RoleSchema, {
      uid: builtin.uid,
      name: builtin.name,
      description: builtin.description,
      capabilities: [...builtin.capabilities],
      createTime: before?.createTime ?? timestampFromMs(now),
      updateTime: before?.updateTime ?? timestampFromMs(now),
    });
    return { before, role };
  });
  const changed = wanted.filter(
    ({ before, role }) => before === undefined || differs(before, role),
  );
  if (changed.length === 0) return;
  await store.write(async (tx) => {
    for (const { role } of changed) {
      const row = roles.toRow(role);
      if ((await roles.table.findForChange(tx, role.uid)) === undefined)
        await roles.table.insert(tx, row);
      else await roles.table.update(tx, row);
    }
    tx.accessChanged();
  });
}

function differs(a: Parameters<typeof roles.toRow>[0], b: typeof a): boolean {
  return roles.toRow(a).json !== roles.toRow(b).json;
}
