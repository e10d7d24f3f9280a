import { PingService } from "@wharf/contract";
import { pingV1 } from "@wharf/contract/v1";
import { type Adapted, adapt, type Within } from "./adapter.ts";

/**
 * Whether anyone is there, as version 1 asks.
 *
 * @example handlers.push(...pingMethods(within));
 */
export function pingMethods(within: Within): Adapted[] {
  return [
    adapt(within, {
      method: pingV1.PingService.method.ping,
      onto: PingService.method.ping,
      request: () => ({}),
      answer: ({ response }) => ({ response }),
    }),
  ];
}
