import type { StoredAuditEntry } from "../../store/tables/audit/entries.ts";

type Column = readonly [name: string, value: (entry: StoredAuditEntry) => string | number];

const COLUMNS: readonly Column[] = [
  ["uid", ({ id }) => id],
  ["time", ({ time }) => new Date(time).toISOString()],
  ["method", ({ method }) => method],
  ["code", ({ code }) => code],
  ["actor_uid", ({ actor }) => actor],
  ["actor_name", ({ actorName }) => actorName],
  ["resource_uid", ({ resource }) => resource],
  ["resource_name", ({ resourceName }) => resourceName],
  ["resource_type", ({ resourceType }) => resourceType],
  ["changed_fields", ({ changedFields }) => changedFields.join(" ")],
  ["session", ({ session }) => session],
  ["source_address", ({ remoteAddress }) => remoteAddress],
  ["user_agent", ({ userAgent }) => userAgent],
  ["via", ({ via }) => via],
  ["request_id", ({ requestId }) => requestId],
  ["detail", ({ detail }) => detail],
  ["chain", ({ chain }) => chain],
  ["sequence", ({ sequence }) => sequence],
  ["hash", ({ hash }) => hash],
];

export const CSV_HEADER = `${COLUMNS.map(([name]) => name).join(",")}\r\n`;

/** An entry as a line of CSV (RFC 4180). */
export function csvOf(entry: StoredAuditEntry): string {
  return `${COLUMNS.map(([, value]) => field(String(value(entry)))).join(",")}\r\n`;
}

/**
 * Clients choose some values, such as user agents: a leading character that spreadsheets take for a formula gets an
 * apostrophe before it.
 */
function field(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
