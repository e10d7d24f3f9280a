import type { Engine } from "../engine/engine.ts";
import type { Api } from "../wire/api.ts";
import { type CheckpointDeps, Checkpoints } from "./checkpoints.ts";
import { auditHandlers } from "./handlers.ts";
import { AuditLog } from "./log.ts";

/*
 * The audit log as an API: lists, exports, the index behind them, checkpoints of the hash chains, and retention. Entries
 * are written by engine/audit.ts. This folder imports engine/, auth/ and store/; no area imports it.
 */

/** Registers the methods of AuditService. */
export function registerAudit(api: Api, deps: CheckpointDeps & { readonly engine: Engine }): void {
  const log = new AuditLog(deps.store);
  const checkpoints = new Checkpoints(deps);
  api.handlers.bindAll(auditHandlers({ engine: deps.engine, log, checkpoints }));
}
