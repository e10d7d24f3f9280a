import type { Caller } from "../../auth/caller.ts";
import { notFound, PermissionDeniedError, type WharfError } from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import type { Store } from "../../store/db/store.ts";
import { groupDeletedBy } from "../../store/tables/access/deleted-groups.ts";
import type { AuditAggregators } from "./aggregator.ts";
import { auditEntry } from "./audit.ts";

/** Audits a call that an authenticated caller was denied, aggregated: callers can send any number of them. */
export async function auditDeniedCall(
  { denials }: AuditAggregators,
  call: Call,
  denial: WharfError,
): Promise<void> {
  const { number: code, message } = denial;
  const resource = denial instanceof PermissionDeniedError ? denial.scope : "";
  const entry = auditEntry(call, { resource, code, detail: { refused: message } });
  // The caller gets the denial even if the store cannot be written; the entry stays counted.
  await denials.record(entry, resource).catch(() => {});
}

/** The error that a caller gets. The one that deleted a group gets NOT_FOUND there, which reveals nothing to it. */
export async function denialOf<E>(
  { reader }: Store,
  error: E,
  { uid }: Caller,
): Promise<E | WharfError> {
  if (!(error instanceof PermissionDeniedError) || error.scope === "") return error;
  const deleted = await groupDeletedBy(reader, uid, error.scope);
  return deleted === undefined ? error : notFound("Group", deleted);
}
