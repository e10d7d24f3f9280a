import type { Authenticator } from "../auth/authenticator.ts";
import type { AuditedDeps } from "../engine/audit/aggregator.ts";
import type { ListDeps } from "../engine/list/lists.ts";
import { LogFollower } from "../engine/streams/log-follower.ts";
import type { StreamDeps } from "../engine/streams/streams.ts";
import type { Api } from "../wire/api.ts";
import type { HttpEndpoint } from "../wire/endpoint.ts";
import { AuditTail } from "./audit-tail.ts";
import { type CheckpointDeps, Checkpoints } from "./checkpoints.ts";
import { auditHandlers } from "./handlers.ts";
import { auditWatchMethod } from "./watch.ts";

/** Interval at which entries of other processes are polled while there are streams. */
const POLL_MS = 500;

export interface RegisterAuditDeps extends CheckpointDeps, ListDeps, StreamDeps, AuditedDeps {
  readonly authenticator: Authenticator;
}

/** Registers the methods of AuditService, and the public keys of checkpoints. */
export function registerAudit(api: Api, deps: RegisterAuditDeps): { endStreams(): void } {
  const { store } = deps;
  const checkpoints = new Checkpoints(deps);
  const tail = new AuditTail(store.reader);
  const follower = new LogFollower<undefined>(store, tail, POLL_MS);
  api.handlers.bindAll([
    ...auditHandlers({ ...deps, checkpoints }),
    auditWatchMethod({ ...deps, tail, follower }),
  ]);
  api.addEndpoints(() => [keysEndpoint(checkpoints)]);
  return { endStreams: () => follower.end() };
}

/** The keys of all checkpoints: those that have been replaced verify old ones. */
function keysEndpoint(checkpoints: Checkpoints): HttpEndpoint {
  return {
    method: "GET",
    path: "/.well-known/wharf-audit-keys.json",
    async handle() {
      const keys = await checkpoints.publicKeys();
      const headers = { "content-type": "application/json", "cache-control": "no-cache" };
      return { status: 200, headers, body: `{"keys":[${keys.join(",")}]}` };
    },
  };
}
