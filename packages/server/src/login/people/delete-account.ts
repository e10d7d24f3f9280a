import type { Message } from "@bufbuild/protobuf";
import {
  Auth,
  type DeletionRequest,
  DeletionRequestSchema,
  isRoot,
  parentOf,
} from "@wharf/contract";
import { personOf } from "../../auth/standing.ts";
import { Mutation, type WriteDeps } from "../../engine/write/mutation.ts";
import { checkBindingRemoval } from "../../iam/owners.ts";
import { notFound, WharfError } from "../../lib/errors.ts";
import type { Handler } from "../../rpc/call.ts";
import { EMPTY_REPLY } from "../../rpc/reply.ts";
import {
  deleteMemberships,
  deleteSignIns,
  providersOfPerson,
} from "../../store/tables/login/provider-people.ts";
import { endSessions, type StoredSession } from "../../store/tables/login/sessions.ts";

/**
 * Lets a person delete their own identity, with its bindings, sessions and local account. In a
 * session of an identity provider, only what that sign-in reaches is deleted; the identity is
 * deleted once nothing else remains.
 */
export function deleteAccountMethod(deps: WriteDeps): Handler {
  return async (call, message: Message) => {
    const { id } = message as DeletionRequest;
    if (id !== call.caller.uid || !isRoot(id) || call.caller.boundary !== undefined) {
      throw new WharfError(
        "PERMISSION_DENIED",
        "only people can delete their identity, and only their own, with a token that is not down-scoped",
      );
    }
    await deps.store.writeFor(call, async (tx) => {
      const change = new Mutation(call, tx, deps);
      const row = await deps.catalog.identities.table.findForChange(tx, id);
      if (row === undefined) throw notFound(deps.catalog.identities.typeName, id);
      const identity = deps.catalog.identities.fromRow(row);
      const { session: own } = call.caller;
      const session = own ? await deps.access.session(own, tx) : undefined;
      if (session && (await leave(change, session))) return;
      await deps.hooks.of(deps.catalog.identities).beforeDelete?.(change, identity);
      await change.remove(deps.catalog.identities, id);
      const json = JSON.stringify({ id });
      change.emit(Auth.method.delete, id, { type: DeletionRequestSchema.typeName, json });
    });
    return EMPTY_REPLY;
  };
}

/** Deletes what a sign-in reaches of a person; returns whether anything else remains. */
async function leave(change: Mutation, session: StoredSession): Promise<boolean> {
  const { deps, tx } = change;
  const { identity: uid, provider } = session;
  const identity = await deps.catalog.identities.find(tx, uid);
  const bindings = await deps.catalog.roleBindings.where(tx, {
    column: "identity_uid",
    value: uid,
  });
  const groups = bindings.map((binding) => parentOf(binding.uid));
  const person = identity && personOf(identity);
  const standing = await deps.access.standingOf(tx, person, session, groups);
  const reached = bindings.filter((binding) => standing.isTrustedAt(parentOf(binding.uid)));
  const providers = await providersOfPerson(tx, uid);
  if (reached.length === bindings.length && providers.every((one) => one.provider === provider))
    return false;
  for (const binding of reached) {
    await checkBindingRemoval(change, binding, { identity: uid });
    await change.remove(deps.catalog.roleBindings, binding.uid);
  }
  await endSessions(tx, { identity: uid, provider });
  await deleteSignIns(tx, uid, provider);
  await deleteMemberships(tx, { identity: uid, provider });
  return true;
}
