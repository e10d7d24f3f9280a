import { isCreate } from "@wharf/contract";
import { invalidArgument } from "../../lib/errors.ts";
import { readIdempotencyKey } from "../../rpc/idempotency.ts";
import type { RequestContext } from "../http/request-context.ts";
import type { Route } from "./route.ts";

const NAMES: ReadonlySet<string> = new Set(["request_id", "requestId"]);

/**
 * Reads the parameter `request_id` of a create (AIP-155): an idempotency key for clients that cannot set headers. Other
 * methods ignore it.
 */
export function readRequestId(context: RequestContext, { method }: Route, query: string): void {
  if (!isCreate(method.desc)) return;
  const parameters = new URLSearchParams(query);
  for (const [name, value] of parameters) {
    if (!NAMES.has(name)) continue;
    const key = readIdempotencyKey(value, name);
    const { idempotencyKey = value } = context;
    if (readIdempotencyKey(idempotencyKey) !== key) {
      const description = `${name} must be the same as the header Idempotency-Key, or given only once`;
      throw invalidArgument({ field: name, description });
    }
    context.idempotencyKey = value;
  }
}
