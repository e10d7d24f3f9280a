import { type AuditFilter, rootOf } from "@wharf/contract";
import type { AuditAggregators } from "../engine/audit/aggregator.ts";
import { auditEntry } from "../engine/audit/audit.ts";
import type { Call } from "../rpc/call.ts";
import { checkFilter, visibleScopes } from "./filter.ts";

/** A caller with more scopes leaves an entry in each organization. */
const MAX_SCOPES = 8;

/**
 * Audits a read of the audit log, in each scope that it covers, so that the owners of a group see who reads its
 * entries. Repeated reads of a caller are counted.
 */
export async function auditRead(
  { reads }: AuditAggregators,
  call: Call,
  filter: Partial<Pick<AuditFilter, "resource">> | undefined,
): Promise<void> {
  checkFilter(filter);
  const scopes = visibleScopes(call.caller.grants, filter?.resource ?? "") ?? [""];
  const read = scopes.length > MAX_SCOPES ? new Set(scopes.map(rootOf)) : scopes;
  const entries = [...read].map((resource) => auditEntry(call, { resource }));
  await Promise.all(entries.map((entry) => reads.record(entry, entry.resource)));
}
