import { AccessService } from "@wharf/contract";
import type { Engine } from "../../engine/engine.ts";
import type { HandlerRegistry } from "../../rpc/handler-registry.ts";
import { batchCheckAccessMethod } from "./batch-check.ts";
import { checkAccessMethod } from "./check.ts";
import { listAccessMethod } from "./list.ts";

/** Binds the methods of AccessService: who can do what, and why. */
export function registerAccess(handlers: HandlerRegistry, engine: Engine): void {
  const { checkAccess, batchCheckAccess, listAccess } = AccessService.method;
  handlers.bind(checkAccess, checkAccessMethod(engine));
  handlers.bind(batchCheckAccess, batchCheckAccessMethod(engine));
  handlers.bind(listAccess, listAccessMethod(engine));
}
