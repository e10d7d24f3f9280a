import type { Message } from "@bufbuild/protobuf";
import { Auth, type DeletionRequest, DeletionRequestSchema, isRoot } from "@wharf/contract";
import { Change } from "../engine/change.ts";
import type { Engine } from "../engine/engine.ts";
import { notFound, WharfError } from "../errors.ts";
import type { Handler } from "../rpc/call.ts";
import { EMPTY_REPLY } from "../rpc/reply.ts";

/**
 * Lets a person delete their own identity, and with it their bindings, sessions and local account.
 *
 * @example handlers.set(Auth.method.delete, deleteAccountMethod(engine));
 */
export function deleteAccountMethod(engine: Engine): Handler {
  return async (call, message: Message) => {
    const { id } = message as DeletionRequest;
    if (id !== call.caller.uid || !isRoot(id) || call.caller.limit !== undefined) {
      throw new WharfError(
        "PERMISSION_DENIED",
        "only people can delete their identity, and only their own",
      );
    }
    await engine.store.write(async (tx) => {
      const change = new Change(call, tx, engine);
      const row = await engine.identities.table.findForChange(tx, id);
      if (row === undefined) throw notFound(engine.identities.typeName, id);
      await engine.identities.definition.beforeDelete?.(change, engine.identities.fromRow(row));
      await change.remove(engine.identities, id);
      const json = JSON.stringify({ id });
      await change.emit(Auth.method.delete, id, { type: DeletionRequestSchema.typeName, json });
    });
    return EMPTY_REPLY;
  };
}
