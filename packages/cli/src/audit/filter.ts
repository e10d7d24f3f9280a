import type { AuditFilter } from "@wharf/client";
import { AuditOutcome, isUid } from "@wharf/contract";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import { resolveGroup } from "../resolve/groups.ts";
import { resolveIdentity } from "../resolve/resolve.ts";
import { given, readPastTime } from "../resource/values.ts";
import type { watchDefinition } from "./commands.ts";

type FilterArgs = Omit<Parameters<Run<typeof watchDefinition>>[1], "after">;

type Filter = Partial<Omit<AuditFilter, "$typeName" | "$unknown">>;

const OUTCOMES = {
  succeeded: AuditOutcome.SUCCEEDED,
  denied: AuditOutcome.DENIED,
  failed: AuditOutcome.FAILED,
} as const;

/** The filter that the options of a command ask for. */
export async function filterOf(context: Context, args: FilterArgs): Promise<Filter> {
  const { resource, actor, method, outcome, since, until, address, requestId, session, via } = args;
  return given({
    resource: resource === undefined ? undefined : await resourceUid(context, resource),
    actor: actor === undefined ? undefined : await actorUid(context, actor),
    method,
    outcome: outcome && OUTCOMES[outcome],
    since: since === undefined ? undefined : readPastTime("--since", since),
    until: until === undefined ? undefined : readPastTime("--until", until),
    sourceAddress: address,
    requestId,
    session,
    via,
  });
}

async function resourceUid(context: Context, text: string): Promise<string> {
  return isUid(text) ? text : (await resolveGroup(context, text)).uid;
}

/** Deleted identities have no name any more, but their entries are there. */
async function actorUid(context: Context, text: string): Promise<string> {
  return isUid(text) ? text : (await resolveIdentity(context, text)).uid;
}
