import { InventoryState } from "@wharf/contract";
import type { Reader } from "../../../db/connection.ts";
import { joined, part } from "../sql-part.ts";
import type { StoredImage } from "./images.ts";
import { hasDigest, hasTag, type RepoInterval, visibleImages } from "./visible-images.ts";

/** Images with known packages, for reports of the public contract. */

export type ReportedImage = Pick<StoredImage, "id" | "repo" | "digest" | "indexed">;

export interface ReportFilter {
  readonly repo?: string;
  /** Of an image or an index. */
  readonly digest?: string;
  readonly tag?: string;
}

/** Visible images of a repo with a tag, or those of one digest; the last pushed first. */
export function reportedImages(
  reader: Reader,
  intervals: readonly RepoInterval[],
  { repo, digest, tag }: ReportFilter,
  limit: number,
): Promise<ReportedImage[]> {
  const visible = visibleImages(reader.dialect, intervals);
  const condition = joined(
    [
      repo !== undefined && part("i.repo = ?", repo),
      digest !== undefined && hasDigest(digest),
      tag !== undefined && hasTag(tag),
      digest === undefined && tag === undefined && part("i.tags > 0"),
    ].filter((one) => one !== false),
    " AND ",
  );
  return reader.all<ReportedImage>(
    `SELECT i.id, i.repo, i.digest, i.indexed FROM ${visible.sql}
     WHERE i.state = ${InventoryState.KNOWN} AND ${condition.sql} ORDER BY i.pushed DESC, i.id DESC LIMIT ?`,
    ...visible.params,
    ...condition.params,
    limit,
  );
}

/** A digest that a tag had from a time on; empty once the tag was deleted. */
export interface TagState {
  readonly digest: string;
  readonly time: number;
}

/** The states of a tag until a time, the oldest first. */
export function tagStates(
  reader: Reader,
  repo: string,
  tag: string,
  until: number,
): Promise<TagState[]> {
  return reader.all<TagState>(
    `SELECT digest, time FROM tag_history WHERE repo = ? AND name = ? AND time < ? ORDER BY time, id`,
    repo,
    tag,
    until,
  );
}
