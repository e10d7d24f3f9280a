import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { IdentitySchema } from "@wharf/contract";
import { ANONYMOUS_UID } from "../auth/caller.ts";
import type { Store } from "../store/db/store.ts";
import { identities } from "./identities.ts";

/**
 * Makes sure that there is the identity that stands for whoever comes without credentials. It has no
 * relationship, so no token can speak for it.
 *
 * @example await storeAnyone(store, Date.now());
 */
export async function storeAnonymousIdentity(store: Store, now: number): Promise<void> {
  if ((await identities.find(store.reader, ANONYMOUS_UID)) !== undefined) return;
  const time = timestampFromMs(now);
  const anyone = create(IdentitySchema, {
    uid: ANONYMOUS_UID,
    name: "anyone",
    description: "Whoever comes without credentials. What is bound to it is public.",
    createTime: time,
    updateTime: time,
    lastSeenTime: time,
  });
  // Replicas that start together come here together; the second one changes nothing.
  await store.write(async (tx) => {
    if (await identities.table.insert(tx, identities.toRow(anyone))) tx.accessChanged();
  });
}
