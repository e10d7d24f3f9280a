import type { DescMethod } from "@bufbuild/protobuf";
import type { Engine } from "../engine/engine.ts";
import type { Handler } from "../rpc/call.ts";
import type { Within } from "./adapter.ts";
import { groupMethods } from "./groups.ts";
import { identityMethods } from "./identities.ts";
import { pingMethods } from "./ping.ts";
import { roleBindingMethods } from "./role-bindings.ts";
import { roleMethods } from "./roles.ts";

/**
 * Everything that version 1 can do.
 *
 * @example for (const [method, handler] of handlersOfV1(within, engine)) handlers.set(method, handler);
 */
export function handlersOfV1(
  within: Within,
  engine: Engine,
): Iterable<readonly [DescMethod, Handler]> {
  return [
    ...groupMethods(within),
    ...identityMethods(within, engine),
    ...roleMethods(within),
    ...roleBindingMethods(within),
    ...pingMethods(within),
  ];
}
