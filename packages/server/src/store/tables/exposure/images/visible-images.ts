import type { Dialect } from "../../../db/connection.ts";
import { joined, part, type SqlPart } from "../sql-part.ts";

/** A part of the tree that a caller may see: repos with a uid from `low` on and below `high`. */
export interface RepoInterval {
  readonly low: string;
  readonly high: string;
  /** The length of their uids: those of direct children. Undefined for any. */
  readonly length?: number;
}

/** Up to so many intervals, conditions are cheaper than a join with them. */
const FEW_INTERVALS = 8;

/**
 * Images in the intervals, as `i`: what follows FROM in every statement whose result a caller sees, so that neither rows
 * nor totals contain other images. Intervals do not overlap.
 */
export function visibleImages(dialect: Dialect, intervals: readonly RepoInterval[]): SqlPart {
  if (intervals.length > 0 && intervals.length <= FEW_INTERVALS) {
    const { sql, params } = joined(intervals.map(isWithin), " OR ");
    return { sql: `(SELECT * FROM exposure_images WHERE ${sql}) i`, params };
  }
  const tuples = intervals.map(({ low, high, length }) => [low, high, String(length ?? "")]);
  return {
    sql: `(${dialect.tuples("low", "high", "size")}) part JOIN exposure_images i
      ON i.repo >= part.low AND i.repo < part.high
      AND (part.size = '' OR CAST(length(i.repo) AS TEXT) = part.size)`,
    params: [JSON.stringify(tuples)],
  };
}

function isWithin({ low, high, length }: RepoInterval): SqlPart {
  const range = part("repo >= ? AND repo < ?", low, high);
  return length === undefined ? range : joined([range, part("length(repo) = ?", length)], " AND ");
}

/** Images pushed or pulled within so many milliseconds are in use. */
const USE_MS = 30 * 24 * 3_600_000;

/** Whether the image `i` is in use at a time: deployed, or pushed or pulled lately. */
export function inUse(now: number): SqlPart {
  const since = now - USE_MS;
  return {
    sql: `(CASE WHEN (i.tags > 0 AND i.pushed >= ?)
        OR (i.tags > 0 AND EXISTS (SELECT 1 FROM deployments WHERE deployments.uid = i.repo))
        OR EXISTS (SELECT 1 FROM manifests WHERE manifests.repo = i.repo AND manifests.digest = i.digest
          AND manifests.pulled >= ?) THEN 1 ELSE 0 END)`,
    params: [since, since],
  };
}

/** Whether the image `i` has a digest, or is in the index with it. */
export function hasDigest(digest: string): SqlPart {
  return {
    sql: `(i.digest = ? OR EXISTS (SELECT 1 FROM image_indexes
      WHERE image_indexes.repo = i.repo AND image_indexes.image = i.digest AND image_indexes.index_digest = ?))`,
    params: [digest, digest],
  };
}

/** Whether a tag names the image `i`, or an index that contains it. */
export function hasTag(name: string): SqlPart {
  return {
    sql: `EXISTS (SELECT 1 FROM tags WHERE tags.parent = i.repo AND tags.name = ? AND (tags.digest = i.digest
      OR EXISTS (SELECT 1 FROM image_indexes WHERE image_indexes.repo = i.repo AND image_indexes.image = i.digest
        AND image_indexes.index_digest = tags.digest)))`,
    params: [name],
  };
}
