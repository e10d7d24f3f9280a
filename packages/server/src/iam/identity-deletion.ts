import type { DeleteIdentityRequest } from "@wharf/contract";
import { ANONYMOUS_UID } from "../auth/caller.ts";
import { Mutation, type WriteDeps } from "../engine/write/mutation.ts";
import { deleteMethod } from "../engine/write/write.ts";
import { failedPrecondition, notFound, tooLargeToTry } from "../lib/errors.ts";
import type { Handler } from "../rpc/call.ts";
import { countBindings, readBindingUids } from "../store/tables/access/identity-bindings.ts";
import { checkIdentityRemoval } from "./owners.ts";

/**
 * Role bindings deleted in one transaction, which blocks all other writes. If an identity has more, earlier
 * transactions precede the one that deletes it.
 */
const BATCH_SIZE = 250;

/** Deletes an identity with its role bindings. */
export function deleteIdentity(deps: WriteDeps): Handler {
  const {
    store,
    catalog: { identities },
  } = deps;
  const deleteRest = deleteMethod(identities, deps);
  return async (call, request) => {
    const { uid } = request as DeleteIdentityRequest;
    while ((await countBindings(store.reader, uid, { limit: BATCH_SIZE + 1 })) > BATCH_SIZE) {
      if (call.isDryRun) throw tooLargeToTry();
      await store.writeFor(call, async (tx) => {
        const mutation = new Mutation(call, tx, deps);
        // For each batch again: the caller may have lost the capability since the last one.
        await mutation.confirmAccess(uid);
        if ((await identities.table.findForChange(tx, uid)) === undefined) {
          throw notFound(identities.typeName, uid);
        }
        rejectBuiltIn(uid);
        await deleteBindings(mutation, uid, BATCH_SIZE);
      });
    }
    return deleteRest(call, request);
  };
}

/** Deletes role bindings of an identity, the oldest first, up to a limit. */
export async function deleteBindings(
  mutation: Mutation,
  identity: string,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  const { deps, tx } = mutation;
  await checkIdentityRemoval(mutation, identity);
  for (const uid of await readBindingUids(tx, identity, limit)) {
    await mutation.remove(deps.catalog.roleBindings, uid);
  }
}

/** Rejects changes of the identity of callers without credentials. */
export function rejectBuiltIn(uid: string): void {
  if (uid !== ANONYMOUS_UID) return;
  const description = "the identity of anonymous callers cannot be changed or deleted";
  throw failedPrecondition({ type: "BUILT_IN_IDENTITY", description });
}
