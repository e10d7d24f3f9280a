import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type AuditFilter, AuditOutcome, Capability } from "@wharf/contract";
import type { Grants } from "../auth/grants.ts";
import { invalidArgument } from "../lib/errors.ts";
import { timestampProblem } from "../rpc/time-range.ts";
import { mustBeUid } from "../rpc/validate.ts";
import type { AuditQuery } from "../store/tables/audit/search.ts";

export const CAPABILITIES = [Capability.CAP_AUDIT_LIST];

/** The canonical codes of success, and of requests that were denied: PERMISSION_DENIED and UNAUTHENTICATED. */
const SUCCEEDED = 0;
const DENIED: readonly number[] = [7, 16];

/** The outcome that a code stands for. */
export function outcomeOf(code: number): AuditOutcome {
  if (code === SUCCEEDED) return AuditOutcome.SUCCEEDED;
  return DENIED.includes(code) ? AuditOutcome.DENIED : AuditOutcome.FAILED;
}

/** Rejects what cannot be compared with stored texts and times: PostgreSQL has no text with NUL. */
export function checkFilter(filter: Partial<AuditFilter> | undefined): void {
  for (const field of ["since", "until"] as const) {
    const problem = filter?.[field] && timestampProblem(filter[field]);
    if (problem !== undefined)
      throw invalidArgument({ field: `filter.${field}`, description: `${field} ${problem}` });
  }
  for (const [field, value] of Object.entries(filter ?? {})) {
    if (typeof value !== "string" || !value.includes("\0")) continue;
    const description = `${field} must not contain the character NUL`;
    throw invalidArgument({ field: `filter.${field}`, description });
  }
  if (filter?.resource) mustBeUid("filter.resource", filter.resource);
}

/** The entries that a filter asks for, of those that the caller may see. */
export function queryOf(grants: Grants, filter: Partial<AuditFilter> = {}): AuditQuery {
  checkFilter(filter);
  const since = filter.since && timestampMs(filter.since);
  const until = filter.until && timestampMs(filter.until);
  if (until !== undefined && until <= (since ?? 0)) {
    throw invalidArgument({ field: "filter.until", description: "until must be after since" });
  }
  return {
    scopes: visibleScopes(grants, filter.resource ?? ""),
    values: {
      actor: filter.actor ?? "",
      remote_address: filter.sourceAddress ?? "",
      request_id: filter.requestId ?? "",
      session: filter.session ?? "",
      via: filter.via ?? "",
    },
    method: filter.method ?? "",
    codes: codesOf(filter.outcome),
    since,
    until,
  };
}

/** The scopes whose entries a caller may see, within a resource; undefined for all entries. */
export function visibleScopes(grants: Grants, resource: string): readonly string[] | undefined {
  const reach = grants.reach(CAPABILITIES);
  if ("everything" in reach) return resource === "" ? undefined : [resource];
  if (resource === "") return reach.scopes;
  if (reach.scopes.some((scope) => isWithin(resource, scope))) return [resource];
  return reach.scopes.filter((scope) => isWithin(scope, resource));
}

/** Whether a caller may see the entries of a resource. */
export function isVisible(grants: Grants, resource: string): boolean {
  const reach = grants.reach(CAPABILITIES);
  return "everything" in reach || reach.scopes.some((scope) => isWithin(resource, scope));
}

function isWithin(uid: string, scope: string): boolean {
  return uid === scope || uid.startsWith(`${scope}/`);
}

function codesOf(outcome: AuditOutcome | undefined): AuditQuery["codes"] {
  switch (outcome) {
    case AuditOutcome.SUCCEEDED:
      return { listed: [SUCCEEDED] };
    case AuditOutcome.DENIED:
      return { listed: DENIED };
    case AuditOutcome.FAILED:
      return { listed: [SUCCEEDED, ...DENIED], negated: true };
    default:
      return undefined;
  }
}
