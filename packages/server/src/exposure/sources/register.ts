import { tmpdir } from "node:os";
import {
  type RunVulnerabilitySourceRequest,
  VulnerabilitySourceSchema,
  VulnerabilitySourcesService,
} from "@wharf/contract";
import { DELIVERY_TIMES, type DeliveryTimes } from "../../delivery/times.ts";
import { audit } from "../../engine/audit/audit.ts";
import { notFound } from "../../lib/errors.ts";
import type { Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import { setSourceDue } from "../../store/tables/exposure/sources/source-states.ts";
import type { Api } from "../../wire/api.ts";
import type { AttemptDeps } from "./attempt.ts";
import { vulnerabilitySources } from "./definition.ts";
import { SourceScheduler } from "./scheduler.ts";

export type RegisterSourcesDeps = Omit<AttemptDeps, "leases" | "timeoutMs" | "folder">;

/** Registers the methods of sources beside the generic ones. Returns what imports them in the background. */
export function registerSources(
  api: Api,
  deps: RegisterSourcesDeps,
  times: DeliveryTimes = DELIVERY_TIMES,
): SourceScheduler {
  const { data, databaseUrl } = deps.settings;
  api.handlers.bindAll([
    [VulnerabilitySourcesService.method.runVulnerabilitySource, runMethod(deps)],
  ]);
  // Servers on PostgreSQL need no data directory.
  const folder = databaseUrl === "" ? data : tmpdir();
  return new SourceScheduler({ ...deps, folder, timeoutMs: times.timeoutMs }, times);
}

/** Makes a source due. The scheduler of some process imports it. */
function runMethod(deps: RegisterSourcesDeps): Handler {
  return async (call, request) => {
    const { uid } = request as RunVulnerabilitySourceRequest;
    const source = await deps.store.writeFor(call, async (tx) => {
      const row = await vulnerabilitySources.table.findForChange(tx, uid);
      if (row === undefined) throw notFound(vulnerabilitySources.typeName, uid);
      await setSourceDue(tx, uid, call.time);
      const found = vulnerabilitySources.fromRow(row);
      await audit(tx, call, {
        resource: uid,
        name: found.name,
        type: vulnerabilitySources.typeName,
      });
      return found;
    });
    await vulnerabilitySources.definition.hydrate?.(deps.store.reader, [source], deps.catalog);
    return messageReply(VulnerabilitySourceSchema, source);
  };
}
