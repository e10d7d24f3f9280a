import type { DescMethod } from "@bufbuild/protobuf";
import type { Handler } from "../rpc/call.ts";
import type { HandlerRegistry } from "../rpc/handler-registry.ts";
import { resourcesOf } from "./catalog.ts";
import type { MethodDeps, ResourceMessage } from "./definition.ts";
import { getMethod } from "./get.ts";
import { listMethod } from "./list/list.ts";
import type { Resource } from "./resource.ts";
import { createMethod, deleteMethod, updateMethod } from "./write/write.ts";

/**
 * Binds the methods of all resources: the handlers of each definition, and the generic handlers for
 * what is left of the five standard methods. Areas bind the methods that need more than the engine.
 */
export function registerResources(handlers: HandlerRegistry, deps: MethodDeps): void {
  for (const resource of resourcesOf(deps.catalog)) registerResource(handlers, deps, resource);
}

function registerResource(handlers: HandlerRegistry, deps: MethodDeps, resource: Resource): void {
  const { service, methods, boundByArea = [] } = resource.definition;
  const custom = new Map(methods?.(deps));
  handlers.bindAll(custom);
  for (const method of service.methods) {
    if (custom.has(method) || boundByArea.includes(method)) continue;
    const handler = genericHandler(resource, method, deps);
    if (handler !== undefined) handlers.bind(method, handler);
  }
}

/** Standard methods are named after the resource, as in Google's API design guide (AIP-130). */
function genericHandler<R extends ResourceMessage>(
  resource: Resource<R>,
  method: DescMethod,
  deps: MethodDeps,
): Handler | undefined {
  const { name } = resource.definition.schema;
  if (method.name === `Get${name}`) return getMethod(resource, method, deps);
  if (method.name === `Create${name}`) return createMethod(resource, method, deps);
  if (method.name === `Update${name}`) return updateMethod(resource, method, deps);
  if (method.name === `Delete${name}`) return deleteMethod(resource, deps);
  if (method.name.startsWith("List") && method.output.fields[0]?.message?.name === name) {
    return listMethod(resource, method, deps);
  }
  return undefined;
}
