import { InventoryState } from "@wharf/contract";
import type { Reader } from "../../../db/connection.ts";
import { joined, numberOf, part, type SqlPart } from "../sql-part.ts";
import type { StoredImage, Tagging } from "./images.ts";
import { inUse, type RepoInterval, visibleImages } from "./visible-images.ts";

/** Images with a tag, by the states of their packages. */

export interface TaggedFilter {
  readonly intervals: readonly RepoInterval[];
  /** Empty for all. */
  readonly states: readonly InventoryState[];
  readonly inUse?: boolean | undefined;
  readonly now: number;
}

/** The part of a row that no list leaves out. */
export interface TaggedRow extends Omit<StoredImage, "document" | keyof Tagging> {
  readonly inUse: number;
}

/** The position of an image in the list. */
export type TaggedPosition = readonly [repo: string, digest: string];

/** A page of images by repo and digest. */
export function taggedImages(
  reader: Reader,
  filter: TaggedFilter,
  after: TaggedPosition | undefined,
  limit: number,
): Promise<TaggedRow[]> {
  const { sql, params } = selected(reader, filter);
  const use = inUse(filter.now);
  return reader.all<TaggedRow>(
    `SELECT i.id, i.repo, i.digest, i.platform, i.state, i.reason, i.source, i.detail, i.packages,
       i.without_purl AS "withoutPurl", i.indexed, i.pushed, ${use.sql} AS "inUse" ${sql}
     ${after ? "AND (i.repo, i.digest) > (?, ?)" : ""} ORDER BY i.repo, i.digest LIMIT ?`,
    ...use.params,
    ...params,
    ...(after ?? []),
    limit,
  );
}

export function countTaggedImages(reader: Reader, filter: TaggedFilter): Promise<number> {
  return numberOf(reader, "count(*)", selected(reader, filter));
}

/** From FROM to the end of WHERE. Few images have packages that are not known: they have an index of their own. */
function selected({ dialect }: Reader, filter: TaggedFilter): SqlPart {
  const { intervals, states, now } = filter;
  const hasUnknown = states.length > 0 && !states.includes(InventoryState.KNOWN);
  const use = inUse(now);
  const visible = visibleImages(dialect, intervals);
  const conditions = [
    part("i.tags > 0"),
    states.length > 0 && part(`i.state IN (${states.map(() => "?").join(", ")})`, ...states),
    hasUnknown && part(`i.state <> ${InventoryState.KNOWN}`),
    filter.inUse !== undefined && part(`${use.sql} = ?`, ...use.params, Number(filter.inUse)),
  ].filter((one) => one !== false);
  const all = joined(conditions, " AND ");
  return part(`FROM ${visible.sql} WHERE ${all.sql}`, ...visible.params, ...all.params);
}
