import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type AuditFilter, AuditOutcome, Capability } from "@wharf/contract";
import type { Grants } from "../auth/grants.ts";
import { invalidArgument } from "../lib/errors.ts";
import { mustBeUid } from "../rpc/validate.ts";
import type { PostingKind } from "../store/tables/audit/audit-index.ts";
import { matchesMethod } from "./glob.ts";
import type { Clause, Selection } from "./index/matches.ts";
import type { Term } from "./index/terms.ts";

export const CAPABILITIES = [Capability.CAP_AUDIT_LIST];

/** The canonical codes of requests that were denied: PERMISSION_DENIED and UNAUTHENTICATED. */
const DENIED: readonly Term[] = [
  ["code", "7"],
  ["code", "16"],
];
const SUCCEEDED: Term = ["code", "0"];

/** Rejects what cannot be compared with stored texts: PostgreSQL has none with NUL. */
export function checkFilter(filter: Partial<AuditFilter> | undefined): void {
  for (const [field, value] of Object.entries(filter ?? {})) {
    if (typeof value !== "string" || !value.includes("\0")) continue;
    const description = `${field} must not contain the character NUL`;
    throw invalidArgument({ field: `filter.${field}`, description });
  }
  if (filter?.resource) mustBeUid("filter.resource", filter.resource);
}

/** The entries that a filter asks for, of those that the caller may see. */
export async function selectionOf(
  grants: Grants,
  filter: AuditFilter | undefined,
  indexedMethods: () => Promise<readonly string[]>,
): Promise<Selection> {
  checkFilter(filter);
  const resource = filter?.resource ?? "";
  const clauses: Clause[] = [...visibleClauses(grants, resource)];
  const is = (kind: PostingKind, value: string | undefined) => {
    if (value) clauses.push({ terms: [[kind, value]] });
  };
  is("actor", filter?.actor);
  is("address", filter?.sourceAddress);
  is("request", filter?.requestId);
  is("session", filter?.session);
  is("via", filter?.via);
  if (filter?.method) clauses.push(methodClause(filter.method, await indexedMethods()));
  clauses.push(...outcomeClauses(filter?.outcome ?? AuditOutcome.UNSPECIFIED));
  const since = filter?.since === undefined ? 0 : timestampMs(filter.since);
  const until = filter?.until === undefined ? Number.POSITIVE_INFINITY : timestampMs(filter.until);
  if (until <= since) {
    throw invalidArgument({ field: "filter.until", description: "until must be after since" });
  }
  return { clauses, since, until };
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

function visibleClauses(grants: Grants, resource: string): Clause[] {
  const scopes = visibleScopes(grants, resource);
  return scopes === undefined ? [] : [{ terms: scopes.map((scope) => ["at", scope] as const) }];
}

/** The index has few methods: a pattern becomes a list of those that match it. */
function methodClause(pattern: string, methods: readonly string[]): Clause {
  const matching = methods.filter((method) => matchesMethod(pattern, method));
  return {
    terms: matching.map((method) => ["method", method] as const),
    test: ([, , , , method]) => matchesMethod(pattern, method),
  };
}

function outcomeClauses(outcome: AuditOutcome): Clause[] {
  switch (outcome) {
    case AuditOutcome.SUCCEEDED:
      return [{ terms: [SUCCEEDED] }];
    case AuditOutcome.DENIED:
      return [{ terms: DENIED }];
    case AuditOutcome.FAILED:
      return [{ terms: [SUCCEEDED, ...DENIED], negated: true }];
    default:
      return [];
  }
}
