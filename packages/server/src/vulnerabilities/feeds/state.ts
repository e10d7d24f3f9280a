import { createHash } from "node:crypto";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Publication } from "@wharf/advisories/publish";
import type { Group } from "@wharf/contract";
import type { ResourceStore } from "../../engine/catalog.ts";
import { readPositions } from "../../store/resources/page.ts";
import { countsOf, partitionRanges } from "../../store/resources/range-counts.ts";
import { vulnerabilityChanges } from "../../store/tables/advisories/vulnerabilities.ts";
import type { HttpRequest } from "../../wire/endpoint.ts";
import { uncompressedEtag } from "../../wire/http/reply.ts";

/** Increased when the same advisories are written differently. */
const FORMAT_VERSION = 4;

/** The validators of a feed file for conditional requests. */
export interface FeedState {
  /** An entity tag of one path. */
  readonly etag: string;
  /** The time of its last change, in milliseconds. */
  readonly changed: number;
  /**
   * Only the tag validates a file of a key, since the time does not follow the key, and weakly, since each signature
   * of a document has other bytes.
   */
  readonly isOfKey: boolean;
}

/**
 * The state of a group's feed, without reading its advisories: from the change counters of advisories and
 * vulnerabilities, and the other contents of its documents.
 *
 * @param key the public key, for a file of the key
 */
export async function feedState(
  {
    store: { reader },
    catalog: {
      advisories: { table },
    },
  }: ResourceStore,
  group: Group,
  publication: Publication,
  path: string,
  key?: string,
): Promise<FeedState> {
  const below = { below: group.uid, self: false };
  const { changes } = await countsOf(reader, table, below);
  const vulnerabilities = await vulnerabilityChanges(reader, group.uid);
  const contents = [FORMAT_VERSION, path, group.uid, publication, changes, vulnerabilities, key];
  const digest = createHash("sha256").update(JSON.stringify(contents)).digest("base64url");
  const renamed = group.updateTime === undefined ? 0 : timestampMs(group.updateTime);
  let changed = Math.max(renamed, vulnerabilities.latest);
  for (const range of await partitionRanges(reader, table, below, table.shape.partitions ?? [])) {
    const order = { column: "updated", descending: true } as const;
    const query = { range, filters: [], order, offset: 0, limit: 1 };
    const [latest] = await readPositions(reader, table, query);
    changed = Math.max(changed, Number(latest?.key ?? 0));
  }
  return { etag: `"${digest.slice(0, 32)}"`, changed, isOfKey: key !== undefined };
}

/**
 * The validator headers of a state. Last-Modified is omitted during the second of the last change: later changes in it
 * would have the same date.
 */
export function stateHeaders(
  { etag, changed, isOfKey }: FeedState,
  now: number,
): Record<string, string> {
  if (isOfKey) return { etag: `W/${etag}` };
  return {
    etag,
    ...(isOver(changed, now) ? { "last-modified": new Date(changed).toUTCString() } : {}),
  };
}

/** Whether the second of a change has passed. After the clock was set back, it may lie in the future. */
function isOver(changed: number, now: number): boolean {
  return Math.floor(changed / 1_000) < Math.floor(now / 1_000);
}

/**
 * Whether a conditional request matches the state. If-None-Match takes precedence (RFC 9110). Dates count only where
 * Last-Modified is sent: otherwise later changes could have the same.
 */
export function isNotModified(
  headers: HttpRequest["headers"],
  { etag, changed, isOfKey }: FeedState,
  now: number,
): boolean {
  const tags = headers["if-none-match"];
  if (tags !== undefined) {
    const etags = tags.split(",").map((tag) => uncompressedEtag(tag.trim().replace(/^W\//, "")));
    return etags.includes(etag) || etags.includes("*");
  }
  if (isOfKey || !isOver(changed, now)) return false;
  const since = Date.parse(headers["if-modified-since"] ?? "");
  return !Number.isNaN(since) && Math.floor(changed / 1_000) * 1_000 <= since;
}
