import { create, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type AuditEntry, AuditEntrySchema } from "@wharf/contract";
import type { Call } from "../rpc/call.ts";
import type { StoredAuditEntry } from "../store/tables/audit/entries.ts";

/** An entry as a message. */
export function messageOf(entry: StoredAuditEntry): AuditEntry {
  const { chain, sequence, previousHash, hash } = entry;
  return create(AuditEntrySchema, {
    uid: String(entry.id),
    time: timestampFromMs(entry.time),
    ...fieldsOf(entry),
    ...(chain !== "" && {
      integrity: { chain, sequence: BigInt(sequence), previousHash, hash },
    }),
  });
}

/** The fields that are the same in JSON. */
function fieldsOf(entry: StoredAuditEntry) {
  return {
    method: entry.method,
    actor: { uid: entry.actor, name: entry.actorName },
    resource: { uid: entry.resource, name: entry.resourceName, type: entry.resourceType },
    code: entry.code,
    changedFields: [...entry.changedFields],
    session: entry.session,
    sourceAddress: entry.remoteAddress,
    userAgent: entry.userAgent,
    via: entry.via,
    requestId: entry.requestId,
    detail: entry.detail === "" ? {} : (JSON.parse(entry.detail) as JsonObject),
  };
}

/**
 * An entry as JSON, the same as that of its message. By hand: encoding the messages of a page takes longer than finding
 * their entries among millions.
 */
export function jsonOf(entry: StoredAuditEntry): string {
  const { chain, sequence, previousHash, hash } = entry;
  return JSON.stringify({
    uid: String(entry.id),
    time: new Date(entry.time).toISOString(),
    ...fieldsOf(entry),
    ...(chain !== "" && {
      integrity: { chain, sequence: String(sequence), previousHash, hash },
    }),
  });
}

/** An entry in the format that a call asks for. */
export function bodyOf({ format }: Call, entry: StoredAuditEntry): string | Uint8Array {
  return format === "json" ? jsonOf(entry) : toBinary(AuditEntrySchema, messageOf(entry));
}
