import { createHash } from "node:crypto";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Publication } from "@wharf/advisories/publish";
import type { Group } from "@wharf/contract";
import type { Engine } from "../../engine/engine.ts";
import { readPositions } from "../../store/resources/page.ts";
import { countsOf, rangesOfParts } from "../../store/resources/range-counts.ts";
import { vulnerabilityChanges } from "../../store/tables/vulnerabilities.ts";
import { plainTag } from "../../wire/answer.ts";
import type { HttpRequest } from "../../wire/endpoint.ts";

/** Moves when the same advisories are written otherwise than before. */
const WRITERS = 1;

/** The state of a feed, by which clients know whether they have it. */
export interface FeedState {
  /** A strong tag of what one path shows. */
  readonly etag: string;
  /** When it last changed, in milliseconds. */
  readonly changed: number;
}

/**
 * The state of a group's feed, found without reading any of it: how often its advisories and what is
 * known of their vulnerabilities have changed, and what else its documents tell.
 *
 * @example const { etag } = await feedState(engine, group, publication, request.path);
 */
export async function feedState(
  {
    store: { reader },
    catalog: {
      advisories: { table },
    },
  }: Engine,
  group: Group,
  publication: Publication,
  path: string,
): Promise<FeedState> {
  const below = { below: group.uid, self: false };
  const { changes } = await countsOf(reader, table, below);
  const known = await vulnerabilityChanges(reader, group.uid);
  const told = [WRITERS, path, group.uid, publication, changes, known];
  const digest = createHash("sha256").update(JSON.stringify(told)).digest("base64url");
  const renamed = group.updateTime === undefined ? 0 : timestampMs(group.updateTime);
  let changed = Math.max(renamed, known.latest);
  for (const range of await rangesOfParts(reader, table, below, table.shape.parts ?? [])) {
    const order = { column: "updated", descending: true } as const;
    const query = { range, filters: [], order, offset: 0, limit: 1 };
    const [latest] = await readPositions(reader, table, query);
    changed = Math.max(changed, Number(latest?.key ?? 0));
  }
  return { etag: `"${digest.slice(0, 32)}"`, changed };
}

/**
 * The headers that tell a state. The time is told only when its second is over: until then more may
 * change that no date could tell apart.
 *
 * @example { ...stateHeaders(state, Date.now()), "content-type": "application/json" }
 */
export function stateHeaders({ etag, changed }: FeedState, now: number): Record<string, string> {
  const isOver = Math.floor(changed / 1_000) < Math.floor(now / 1_000);
  return { etag, ...(isOver ? { "last-modified": new Date(changed).toUTCString() } : {}) };
}

/**
 * Whether a client has said that it has this state. What it says of tags counts for more than dates.
 *
 * @example if (isKnown(request.headers, state)) return { status: 304, headers, body: "" };
 */
export function isKnown(headers: HttpRequest["headers"], { etag, changed }: FeedState): boolean {
  const tags = headers["if-none-match"];
  if (tags !== undefined) {
    const given = tags.split(",").map((tag) => plainTag(tag.trim().replace(/^W\//, "")));
    return given.includes(etag) || given.includes("*");
  }
  const since = Date.parse(headers["if-modified-since"] ?? "");
  return !Number.isNaN(since) && Math.floor(changed / 1_000) * 1_000 <= since;
}
