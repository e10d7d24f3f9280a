import { PingService } from "@wharf/contract";
import { pingV1 } from "@wharf/contract/v1";
import { type Adapted, adapt, type Invoke } from "./adapter.ts";

/**
 * Whether anyone is there, as version 1 asks.
 *
 * @example handlers.push(...pingMethods(invoke));
 */
export function pingMethods(invoke: Invoke): Adapted[] {
  return [
    adapt(invoke, {
      method: pingV1.PingService.method.ping,
      onto: PingService.method.ping,
      request: () => ({}),
      answer: ({ response }) => ({ response }),
    }),
  ];
}
