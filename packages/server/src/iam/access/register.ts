import { AccessService } from "@wharf/contract";
import type { HandlerRegistry } from "../../rpc/handler-registry.ts";
import { type BatchCheckDeps, batchCheckAccessMethod } from "./batch-check.ts";
import { checkAccessMethod } from "./check.ts";
import { listAccessMethod } from "./list.ts";

/** Binds the methods of AccessService: who can do what, and why. */
export function registerAccess(handlers: HandlerRegistry, deps: BatchCheckDeps): void {
  const { checkAccess, batchCheckAccess, listAccess } = AccessService.method;
  handlers.bind(checkAccess, checkAccessMethod(deps));
  handlers.bind(batchCheckAccess, batchCheckAccessMethod(deps));
  handlers.bind(listAccess, listAccessMethod(deps));
}
