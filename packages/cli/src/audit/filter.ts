import type { AuditFilter } from "@wharf/client";
import { AuditOutcome } from "@wharf/contract";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import { resolveParent } from "../resolve/groups.ts";
import { resolveIdentity } from "../resolve/resolve.ts";
import { definedFields, readPastTime } from "../resource/values.ts";
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
  return definedFields({
    resource: resource === undefined ? undefined : (await resolveParent(context, resource)).uid,
    // Neither looks up a UID: deleted resources and identities still have entries.
    actor: actor === undefined ? undefined : (await resolveIdentity(context, actor)).uid,
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
