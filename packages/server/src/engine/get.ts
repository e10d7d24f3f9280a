import type { DescMethod, Message } from "@bufbuild/protobuf";
import { accessOf, capabilityName } from "@wharf/contract";
import { notFound, permissionDenied } from "../lib/errors.ts";
import { whenReady } from "../lib/maybe-promise.ts";
import { type Handler, onlyReads } from "../rpc/call.ts";
import { messageReply, preparedReply } from "../rpc/reply.ts";
import type { Store } from "../store/db/store.ts";
import type { ResourceMessage } from "./definition.ts";
import type { ResourceHooks } from "./hooks.ts";
import { canSee } from "./list/ranges.ts";
import type { Resource } from "./resource.ts";

/** The generic Get method. */
export function getMethod<R extends ResourceMessage>(
  resource: Resource<R>,
  method: DescMethod,
  { store, hooks }: { readonly store: Store; readonly hooks: ResourceHooks },
): Handler {
  const { definition, table, tree } = resource;
  const rule = accessOf(method);
  const capabilities = rule?.kind === "unscoped" ? rule.capabilities : undefined;

  const { reader } = store;
  const hydrates = hooks.hydrates(resource);

  const replyOf = async (found: R | undefined, uid: string) => {
    if (found === undefined) throw notFound(resource.typeName, uid);
    await hooks.hydrateDetail(resource, reader, found);
    return messageReply(definition.schema, found);
  };

  return onlyReads(({ caller, format }, request) => {
    const { uid } = request as Message & { uid: string };
    if (capabilities !== undefined && !canSee(tree, caller.grants.reach(capabilities), uid)) {
      throw permissionDenied(capabilities.map(capabilityName), uid);
    }
    const form = format === "binary" || hydrates ? "data" : "json";
    return whenReady(table.find(reader, uid, form), (row) => {
      if (row === undefined) throw notFound(resource.typeName, uid);
      if (hydrates) return replyOf(resource.fromRow(row), uid);
      if (form === "data" || row.encoding === resource.encoding) return preparedReply(row);
      // The stored JSON is of an older schema: it is made again from the binary data.
      return resource.find(reader, uid).then((found) => replyOf(found, uid));
    });
  });
}
