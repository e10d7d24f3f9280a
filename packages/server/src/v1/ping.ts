import { PingService } from "@wharf/contract";
import { pingV1 } from "@wharf/contract/v1";
import { type AdaptedMethod, adapt, type Invoke } from "./adapter.ts";

/** The version 1 ping. */
export function pingMethods(invoke: Invoke): AdaptedMethod[] {
  return [
    adapt(invoke, {
      method: pingV1.PingService.method.ping,
      target: PingService.method.ping,
      request: () => ({}),
      response: ({ response }) => ({ response }),
    }),
  ];
}
