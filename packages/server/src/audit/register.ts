import type { Engine } from "../engine/engine.ts";
import { readCheckpointKeys } from "../store/tables/audit-checkpoints.ts";
import type { Api } from "../wire/api.ts";
import type { HttpEndpoint } from "../wire/endpoint.ts";
import { type CheckpointDeps, Checkpoints } from "./checkpoints.ts";
import { auditHandlers } from "./handlers.ts";
import { AuditLog } from "./log.ts";

/*
 * The audit log as an API: lists, exports, the index behind them, checkpoints of the hash chains, and retention. Entries
 * are written by engine/audit.ts. This folder imports engine/, auth/ and store/; no area imports it.
 */

/** Registers the methods of AuditService, and the public keys of checkpoints. */
export function registerAudit(api: Api, deps: CheckpointDeps & { readonly engine: Engine }): void {
  const log = new AuditLog(deps.store);
  const checkpoints = new Checkpoints(deps);
  api.handlers.bindAll(auditHandlers({ engine: deps.engine, log, checkpoints }));
  api.addEndpoints(() => [keysEndpoint(deps)]);
}

/** The keys of all checkpoints: those that have been replaced verify old ones. */
function keysEndpoint({ store }: CheckpointDeps): HttpEndpoint {
  return {
    method: "GET",
    path: "/.well-known/wharf-audit-keys.json",
    async handle() {
      const keys = await readCheckpointKeys(store.reader);
      const headers = { "content-type": "application/json", "cache-control": "no-cache" };
      return { status: 200, headers, body: `{"keys":[${keys.join(",")}]}` };
    },
  };
}
