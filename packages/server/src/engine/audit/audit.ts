import type { Call } from "../../rpc/call.ts";
import { messageToJson } from "../../rpc/json.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import { identityName } from "../../store/tables/access/identity-names.ts";
import { type AuditEntry, writeAudit } from "../../store/tables/audit/audit-and-events.ts";
import type { ResourceMessage } from "../definition.ts";
import type { Resource } from "../resource.ts";

/** Longer user agents are truncated, so that clients cannot fill the disk with them. */
export const MAX_USER_AGENT_LENGTH = 256;

export function truncateUserAgent(userAgent: string): string {
  return userAgent.slice(0, MAX_USER_AGENT_LENGTH);
}

/** The canonical gRPC code of a request whose credentials are rejected. */
export const UNAUTHENTICATED = 16;

/** The result of a call, as the audit log has it. */
export interface AuditResult {
  /** The action, where it is no method of the contract: `login`, for example. */
  readonly action?: string;
  /** The uid of the resource. */
  readonly resource: string;
  /** The name of the resource. */
  readonly name?: string | undefined;
  /** The kind of resource, such as `RoleBinding`. */
  readonly type?: string | undefined;
  /** The paths of the fields that changed. */
  readonly changedFields?: readonly string[] | undefined;
  /** The identity that acted, by default the caller, and its name if it is another one. */
  readonly actor?: string;
  readonly actorName?: string | undefined;
  /** The canonical gRPC code; 0, the default, for success. */
  readonly code?: number;
  /** Other details. Never a secret. */
  readonly detail?: object;
}

/** Writes the audit entry of a call, under the method that the caller called. */
export async function audit(tx: Transaction, call: Call, outcome: AuditResult): Promise<void> {
  const { action, actor, actorName } = outcome;
  // People who sign in are not the callers of a method, whose names are known.
  const isUnnamed = action !== undefined && actor !== undefined && actorName === undefined;
  const named = isUnnamed ? { ...outcome, actorName: await identityName(tx, actor) } : outcome;
  writeAudit(tx, auditEntry(call, named));
}

/**
 * The audit entry of a call. Rejections that callers without credentials can cause are not written one
 * by one: they go to the aggregator.
 */
export function auditEntry(call: Call, outcome: AuditResult): AuditEntry {
  const { caller, time, requestId, remoteAddress, userAgent, calledAs = call.method } = call;
  const isCaller = outcome.actor === undefined || outcome.actor === caller.uid;
  const actorName = outcome.actorName ?? (isCaller ? caller.name : undefined);
  const isSelf = outcome.resource !== "" && outcome.resource === (outcome.actor ?? caller.uid);
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
    actorName,
    resourceName: outcome.name ?? (isSelf ? actorName : undefined),
    resourceType: outcome.type ?? (isSelf ? "Identity" : undefined),
    changedFields: outcome.changedFields,
    session: caller.session,
    via: call.via,
  };
}

/** Longer resources are not repeated in the entries of their deletion. */
const MAX_DELETED_CHARACTERS = 4_000;

/** Name and fields of a deleted resource for the entry of its deletion, without secrets. */
export function deletionOf<R extends ResourceMessage>(
  resource: Resource<R>,
  deleted: R | undefined,
): Pick<AuditResult, "name" | "detail"> {
  if (deleted === undefined) return {};
  const { schema, index } = resource.definition;
  const name = index?.nameOf?.(deleted) ?? deleted.name;
  const json = messageToJson(schema, resource.withoutSecrets(deleted));
  if (json.length > MAX_DELETED_CHARACTERS) return { name };
  return { name, detail: { deleted: JSON.parse(json) } };
}

/** Longer values, and those beyond this size of an entry, are not repeated. */
const MAX_VALUE_CHARACTERS = 1_000;
const MAX_CHANGES_CHARACTERS = 4_000;

/** A value before and after an update; absent if it was not set. */
interface Change {
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Values of the changed fields for the entry of an update, without secrets. */
export function changesOf<R extends ResourceMessage>(
  resource: Resource<R>,
  before: R,
  after: R,
  changedFields: readonly string[],
): { readonly changes: Readonly<Record<string, Change>> } | undefined {
  const { schema } = resource.definition;
  const [old, now] = [before, after].map((one) =>
    JSON.parse(messageToJson(schema, resource.withoutSecrets(one))),
  );
  const changes: Record<string, Change> = {};
  let size = 0;
  for (const path of changedFields) {
    const change = { before: valueAt(old, path), after: valueAt(now, path) };
    const texts = Object.values(change).map((value) => JSON.stringify(value) ?? "");
    const length = texts.reduce((sum, text) => sum + text.length, path.length);
    const isHidden = texts.every((text) => text === "");
    const isLong = texts.some((text) => text.length > MAX_VALUE_CHARACTERS);
    if (isHidden || isLong || size + length > MAX_CHANGES_CHARACTERS) continue;
    size += length;
    changes[path] = change;
  }
  return size === 0 ? undefined : { changes };
}

/** The value at a path of JSON names. */
function valueAt(json: unknown, path: string): unknown {
  let value = json;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}
