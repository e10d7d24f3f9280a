import type { DescMethod, Message } from "@bufbuild/protobuf";
import { accessOf, capabilityName } from "@wharf/contract";
import { notFound, permissionDenied } from "../lib/errors.ts";
import type { Handler } from "../rpc/call.ts";
import { messageReply, preparedReply } from "../rpc/reply.ts";
import type { ResourceMessage } from "./definition.ts";
import type { Engine } from "./engine.ts";
import { canSee } from "./ranges.ts";
import type { Resource } from "./resource.ts";

/**
 * The one implementation of every Get method.
 *
 * @example handlers.set("GetGroup", getMethod(groups, method, engine));
 */
export function getMethod<R extends ResourceMessage>(
  resource: Resource<R>,
  method: DescMethod,
  engine: Engine,
): Handler {
  const { definition, table, tree: kind } = resource;
  const rule = accessOf(method);
  const narrowed = rule?.kind === "unscoped" ? rule.capabilities : undefined;

  const { reader } = engine.store;
  const hydrates = engine.hydrates(resource);

  return async ({ caller, format }, request) => {
    const { uid } = request as Message & { uid: string };
    if (narrowed !== undefined && !canSee(kind, caller.grants.reach(narrowed), uid)) {
      throw permissionDenied(narrowed.map(capabilityName), uid);
    }
    const form = format === "binary" || hydrates ? "data" : "json";
    const row = await table.find(reader, uid, form);
    if (row === undefined) throw notFound(resource.typeName, uid);
    if (hydrates) {
      const found = resource.fromRow(row);
      await engine.hydrateDetail(resource, reader, found);
      return messageReply(definition.schema, found);
    }
    if (form === "data" || row.encoding === resource.encoding) return preparedReply(row);
    const found = await resource.find(reader, uid);
    if (found === undefined) throw notFound(resource.typeName, uid);
    return messageReply(definition.schema, found);
  };
}
