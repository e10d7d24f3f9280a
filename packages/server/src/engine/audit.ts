import type { Call } from "../rpc/call.ts";
import type { Transaction } from "../store/db/group-commit.ts";
import { type AuditEntry, writeAudit } from "../store/tables/audit-and-events.ts";

/** Longer user agents are truncated, so that clients cannot fill the disk with them. */
export const MAX_USER_AGENT_LENGTH = 256;

export function truncateUserAgent(userAgent: string): string {
  return userAgent.slice(0, MAX_USER_AGENT_LENGTH);
}

/** The canonical gRPC code of a request whose credentials are rejected. */
export const UNAUTHENTICATED = 16;

export interface Outcome {
  /** The action, where it is no method of the contract: `login`, for example. */
  readonly action?: string;
  /** The uid of the resource. */
  readonly resource: string;
  /** The identity that acted, by default the caller. */
  readonly actor?: string;
  /** The canonical gRPC code; 0, the default, for success. */
  readonly code?: number;
  /** Further details. Never a secret. */
  readonly detail?: object;
}

/** Writes the audit entry of a call, under the method that the caller called. */
export async function audit(tx: Transaction, call: Call, outcome: Outcome): Promise<void> {
  await writeAudit(tx, auditEntry(call, outcome));
}

/**
 * The audit entry of a call. Rejections that callers without credentials can cause are not written one
 * by one: they go to the aggregator.
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
