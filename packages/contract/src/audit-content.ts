/** The content that the hash of an audit entry covers. */

/** An entry as its hash covers it: the values of the API, with the time in milliseconds since 1970. */
export interface HashedAuditEntry {
  readonly chain: string;
  readonly sequence: number;
  readonly previousHash: string;
  readonly time: number;
  readonly method: string;
  readonly actor: string;
  readonly actorName: string;
  readonly resource: string;
  readonly resourceName: string;
  readonly resourceType: string;
  readonly code: number;
  readonly changedFields: readonly string[];
  readonly session: string;
  readonly sourceAddress: string;
  readonly userAgent: string;
  readonly via: string;
  readonly requestId: string;
  /** A JSON object; empty for none. */
  readonly detail: unknown;
}

/** The version of the format, so that a hash never stands for two meanings. */
const FORMAT = "wharf-audit-1";

/**
 * The text whose SHA-256 is the hash of an entry: a JSON array of its fields in a fixed order, with the keys of
 * details sorted.
 *
 * @example createHash("sha256").update(auditContent(entry)).digest("hex") === entry.hash
 */
export function auditContent(entry: HashedAuditEntry): string {
  return JSON.stringify([
    FORMAT,
    entry.chain,
    entry.sequence,
    entry.previousHash,
    entry.time,
    entry.method,
    entry.actor,
    entry.actorName,
    entry.resource,
    entry.resourceName,
    entry.resourceType,
    entry.code,
    entry.changedFields,
    entry.session,
    entry.sourceAddress,
    entry.userAgent,
    entry.via,
    entry.requestId,
    sorted(entry.detail),
  ]);
}

/** The same value with the keys of all objects in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

/**
 * The root whose chain an entry belongs to: that of its resource, or "" for the installation. Entries whose actor is the
 * resource, such as sign-ins of people, belong to no organization.
 *
 * @example auditRoot(binding.uid, caller.uid) // the uid of the organization
 */
export function auditRoot(resource: string, actor: string): string {
  const slash = resource.indexOf("/");
  if (slash < 0) return resource === actor ? "" : resource;
  return resource.slice(0, slash);
}
