import type { BatchWriter } from "../../db/commit/batch-writer.ts";
import { type InsertTarget, insertRows } from "../../db/commit/insert-rows.ts";
import { type Participant, Rows } from "../../db/commit/participant.ts";
import type { Transaction } from "../../db/commit/transaction.ts";
import type { ChainedEntry } from "./chains.ts";

export interface AuditEntry {
  readonly time: number;
  readonly actor: string;
  readonly method: string;
  readonly resource: string;
  readonly requestId: string;
  readonly remoteAddress: string;
  readonly userAgent: string;
  /** The canonical code of the outcome; 0 for success. */
  readonly code: number;
  /** Further details as JSON, or empty. Never a secret. */
  readonly detail: string;
  /** Names of actor and resource at the time. */
  readonly actorName?: string | undefined;
  readonly resourceName?: string | undefined;
  /** The kind of resource, such as `RoleBinding`. */
  readonly resourceType?: string | undefined;
  /** The paths of the fields that an update changed. */
  readonly changedFields?: readonly string[] | undefined;
  /** The session of the actor's token. */
  readonly session?: string | undefined;
  /** Channel of the request. */
  readonly via?: AuditVia | undefined;
}

export type AuditVia = "rest" | "grpc" | "cli" | "console" | "scim" | "registry" | "system";

export interface StoredEvent {
  readonly id: string;
  readonly time: number;
  readonly type: string;
  readonly subject: string;
  readonly group: string;
  readonly actor: string;
  /** The claims that the actor exchanged for its token, as JSON. */
  readonly act?: string | undefined;
  readonly bodyType: string;
  readonly body: string;
}

const EVENT_COLUMNS: InsertTarget = {
  table: "events",
  columns: {
    event_id: "text",
    time: "integer",
    type: "text",
    subject: "text",
    group_uid: "text",
    actor: "text",
    act: "text",
    body_type: "text",
    body: "text",
  },
};

class EventRows extends Rows<StoredEvent> {}

export const EVENTS: Participant<EventRows> = {
  kind: EventRows,
  stage: "rows",
  begin: () => ({
    write: (writer, { rows }) =>
      insertRows(
        writer,
        EVENT_COLUMNS,
        rows.map((event) => [
          event.id,
          event.time,
          event.type,
          event.subject,
          event.group,
          event.actor,
          event.act ?? "",
          event.bodyType,
          event.body,
        ]),
      ),
  }),
};

/** Audit entries that are not linked yet. */
export class AuditRows extends Rows<AuditEntry> {}

/** Adds an entry of the audit log to the transaction of the audited change. */
export function writeAudit(tx: Transaction, entry: AuditEntry): void {
  tx.changes(AuditRows).push(wellFormed(entry));
}

/** Databases replace lone surrogates, which would change the hash of an entry. */
function wellFormed(entry: AuditEntry): AuditEntry {
  return {
    ...entry,
    actor: entry.actor.toWellFormed(),
    resource: entry.resource.toWellFormed(),
    remoteAddress: entry.remoteAddress.toWellFormed(),
    userAgent: entry.userAgent.toWellFormed(),
    requestId: entry.requestId.toWellFormed(),
  };
}

/** The columns of an entry but its id. */
export const AUDIT_COLUMNS: InsertTarget = {
  table: "audit",
  columns: {
    time: "integer",
    actor: "text",
    method: "text",
    resource: "text",
    request_id: "text",
    remote_address: "text",
    user_agent: "text",
    code: "integer",
    detail: "text",
    actor_name: "text",
    resource_name: "text",
    resource_type: "text",
    changed_fields: "text",
    session: "text",
    via: "text",
    chain: "text",
    sequence: "integer",
    previous_hash: "text",
    hash: "text",
  },
};

function valuesOf(entry: ChainedEntry): (string | number)[] {
  return [
    entry.time,
    entry.actor,
    entry.method,
    entry.resource,
    entry.requestId,
    entry.remoteAddress,
    entry.userAgent,
    entry.code,
    entry.detail,
    entry.actorName ?? "",
    entry.resourceName ?? "",
    entry.resourceType ?? "",
    (entry.changedFields ?? []).join(","),
    entry.session ?? "",
    entry.via ?? "",
    entry.chain,
    entry.sequence,
    entry.previousHash,
    entry.hash,
  ];
}

/** Stores the entries of a batch, in order, at the end of its transaction. */
export async function insertAudit(
  writer: BatchWriter,
  entries: readonly ChainedEntry[],
): Promise<void> {
  await insertRows(writer, AUDIT_COLUMNS, entries.map(valuesOf));
}

/** Adds an event, to be delivered to subscribers, to the transaction of its cause. */
export function writeEvent(tx: Transaction, event: StoredEvent): void {
  tx.changes(EventRows).push(event);
}
