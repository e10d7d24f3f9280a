import { hash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { BUILTIN_ROLES, RoleSchema } from "@wharf/contract";
import { nextUpdateTime } from "../engine/write/update-time.ts";
import type { Store } from "../store/db/store.ts";
import { readInstallation, writeInstallation } from "../store/tables/installation.ts";
import { roles } from "./roles.ts";

const DIGEST_KEY = "built-in-roles";

/**
 * Updates the stored built-in roles to those of the contract. They are rows like all others, so that
 * lists, lookups and bindings need no special case.
 */
export async function storeBuiltinRoles(store: Store, now: number): Promise<void> {
  const digest = hash("sha256", JSON.stringify(BUILTIN_ROLES), "base64url");
  if ((await readInstallation(store.reader, DIGEST_KEY)) === digest) return;
  await store.write(async (tx) => {
    // Serializes replicas that start concurrently on an empty store.
    await tx.acquireLock();
    for (const { uid, name, description, capabilities } of BUILTIN_ROLES) {
      const before = await roles.table.findForChange(tx, uid);
      const known = before && roles.fromRow(before);
      const row = roles.toRow(
        create(RoleSchema, {
          uid,
          name,
          description,
          capabilities: [...capabilities],
          createTime: known?.createTime ?? timestampFromMs(now),
          updateTime: nextUpdateTime(known ?? {}, now),
        }),
      );
      if (known === undefined) await roles.table.insert(tx, row);
      else await roles.table.update(tx, row);
    }
    tx.accessChanged();
  });
  await writeInstallation(store, DIGEST_KEY, digest);
}
