import type { GatheredTable } from "../db/gathered-rows.ts";
import type { Transaction } from "../db/group-commit.ts";
import { type InsertTarget, insertRows } from "../db/insert-rows.ts";

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
  /** Further details as JSON. Never a secret. */
  readonly detail: string;
}

export interface StoredEvent {
  readonly id: string;
  readonly time: number;
  readonly type: string;
  readonly subject: string;
  readonly group: string;
  readonly actor: string;
  readonly bodyType: string;
  readonly body: string;
}

const AUDIT_COLUMNS: InsertTarget = {
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
  },
};

const AUDIT: GatheredTable<AuditEntry> = {
  name: "audit",
  write: (writer, entries) =>
    insertRows(
      writer,
      AUDIT_COLUMNS,
      entries.map((entry) => [
        entry.time,
        entry.actor,
        entry.method,
        entry.resource,
        entry.requestId,
        entry.remoteAddress,
        entry.userAgent,
        entry.code,
        entry.detail,
      ]),
    ),
};

const EVENT_COLUMNS: InsertTarget = {
  table: "events",
  columns: {
    event_id: "text",
    time: "integer",
    type: "text",
    subject: "text",
    group_uid: "text",
    actor: "text",
    body_type: "text",
    body: "text",
  },
};

const EVENTS: GatheredTable<StoredEvent> = {
  name: "events",
  write: (writer, events) =>
    insertRows(
      writer,
      EVENT_COLUMNS,
      events.map((event) => [
        event.id,
        event.time,
        event.type,
        event.subject,
        event.group,
        event.actor,
        event.bodyType,
        event.body,
      ]),
    ),
};

/** Adds an entry of the audit log to the transaction of the audited change. */
export async function writeAudit(tx: Transaction, entry: AuditEntry): Promise<void> {
  tx.gather(AUDIT, entry);
}

/** Adds an event, to be delivered to subscribers, to the transaction of its cause. */
export async function writeEvent(tx: Transaction, event: StoredEvent): Promise<void> {
  tx.gather(EVENTS, event);
}
