import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { IdentitySchema } from "@wharf/contract";
import { ANONYMOUS_UID } from "../auth/caller.ts";
import type { Store } from "../store/db/store.ts";
import { identities } from "./identities.ts";

/**
 * Stores the identity of callers without credentials, if it is missing. It has no relationship, so no
 * token can authenticate as it.
 */
export async function storeAnonymousIdentity(store: Store, now: number): Promise<void> {
  if ((await identities.find(store.reader, ANONYMOUS_UID)) !== undefined) return;
  const time = timestampFromMs(now);
  const anyone = create(IdentitySchema, {
    uid: ANONYMOUS_UID,
    name: "anyone",
    description: "Callers without credentials. Roles bound to it are public.",
    createTime: time,
    updateTime: time,
    lastSeenTime: time,
  });
  // Replicas that start concurrently: the insert of the second one has no effect.
  await store.write(async (tx) => {
    if (await identities.table.insert(tx, identities.toRow(anyone))) tx.accessChanged();
  });
}
