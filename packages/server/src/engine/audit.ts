import type { Call } from "../rpc/call.ts";
import type { Transaction } from "../store/db/group-commit.ts";
import { type AuditEntry, writeAudit } from "../store/tables/audit-and-events.ts";

/** Longer ones are cut: they are for people to read, not for programs to fill the disk. */
export const MAX_USER_AGENT_LENGTH = 256;

/**
 * As much of a user agent as is kept.
 *
 * @example const kept = shortUserAgent(call.userAgent);
 */
export function truncateUserAgent(userAgent: string): string {
  return userAgent.slice(0, MAX_USER_AGENT_LENGTH);
}

/** The canonical code of a refusal because the credentials speak for nobody. */
export const UNAUTHENTICATED = 16;

export interface Outcome {
  /** What was done, where no method of the contract says it: `login`, for example. */
  readonly action?: string;
  /** The uid of what the call was about. */
  readonly resource: string;
  /** Who did it, where that is not the caller that the call came with. */
  readonly actor?: string;
  /** The canonical code; 0 for what was done. */
  readonly code?: number;
  /** What else is worth knowing. Never a secret. */
  readonly detail?: object;
}

/**
 * Writes what a call did into a transaction, under the name that it was called by.
 *
 * @example await audit(tx, call, { resource: group.uid });
 */
export async function audit(tx: Transaction, call: Call, outcome: Outcome): Promise<void> {
  await writeAudit(tx, auditEntry(call, outcome));
}

/**
 * The audit entry of a call. Refusals that callers without credentials can cause are not written one
 * by one: they go to the aggregator.
 *
 * @example await engine.auditAggregator.record(auditEntry(call, refusal), error.message);
 */
export function auditEntry(call: Call, outcome: Outcome): AuditEntry {
  const { caller, time, requestId, remoteAddress, userAgent, calledAs = call.method } = call;
  return {
    time,
    actor: outcome.actor ?? caller.uid,
    method: outcome.action ?? `${calledAs.parent.typeName}/${calledAs.name}`,
    resource: outcome.resource,
    requestId,
    remoteAddress,
    userAgent: truncateUserAgent(userAgent),
    code: outcome.code ?? 0,
    detail: outcome.detail === undefined ? "" : JSON.stringify(outcome.detail),
  };
}
