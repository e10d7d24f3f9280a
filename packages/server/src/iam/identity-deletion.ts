import type { DeleteIdentityRequest } from "@wharf/contract";
import { ANONYMOUS_UID } from "../auth/caller.ts";
import type { Engine } from "../engine/engine.ts";
import { Mutation } from "../engine/mutation.ts";
import { deleteMethod } from "../engine/write.ts";
import { failedPrecondition, notFound } from "../lib/errors.ts";
import type { Handler } from "../rpc/call.ts";
import { countBindings, readBindingUids } from "../store/tables/identity-bindings.ts";

/**
 * Role bindings removed in one transaction, which all other writes wait for. Where an identity has
 * more, several transactions go before the one that deletes it.
 */
const BATCH_SIZE = 250;

/**
 * Deletes an identity with its role bindings.
 *
 * @example methods: (engine) => ({ DeleteIdentity: deleteIdentity(engine) })
 */
export function deleteIdentity(engine: Engine): Handler {
  const {
    store,
    catalog: { identities },
  } = engine;
  const deleteRest = deleteMethod(identities, engine);
  return async (call, request) => {
    const { uid } = request as DeleteIdentityRequest;
    while ((await countBindings(store.reader, uid, { limit: BATCH_SIZE + 1 })) > BATCH_SIZE) {
      await store.write(async (tx) => {
        const change = new Mutation(call, tx, engine);
        // Each time: the caller may have lost the right to it since the last batch.
        await change.confirmAccess(uid);
        if ((await identities.table.findForChange(tx, uid)) === undefined) {
          throw notFound(identities.typeName, uid);
        }
        rejectBuiltIn(uid);
        await deleteBindings(change, uid, BATCH_SIZE);
      });
    }
    return deleteRest(call, request);
  };
}

/**
 * Removes role bindings of an identity, the oldest first, at most so many.
 *
 * @example await removeBindings(change, identity.uid);
 */
export async function deleteBindings(
  change: Mutation,
  identity: string,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  const { engine, tx } = change;
  for (const uid of await readBindingUids(tx, identity, limit)) {
    await change.remove(engine.catalog.roleBindings, uid);
  }
}

/** Rejects changes of the identity of callers without credentials. */
export function rejectBuiltIn(uid: string): void {
  if (uid !== ANONYMOUS_UID) return;
  const description = "the identity of anonymous callers cannot be changed or deleted";
  throw failedPrecondition({ type: "BUILT_IN_IDENTITY", description });
}
