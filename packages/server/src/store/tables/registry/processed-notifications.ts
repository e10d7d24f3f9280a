import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";

/** Notifications of registries that were processed, so that a repeated one counts once, and deletions. */

/** Records a notification as processed. Returns false when it was processed before. */
export async function recordNotification(
  tx: Transaction,
  host: string,
  id: string,
  time: number,
): Promise<boolean> {
  const sql = `INSERT INTO registry_notices (host, id, time) VALUES (?, ?, ?)
    ON CONFLICT (host, id) DO NOTHING`;
  return (await tx.run(sql, host, id, time)) > 0;
}

/** Records the deletion of a manifest: a late notification of an earlier push must not restore it. */
export async function recordManifestDeletion(
  tx: Transaction,
  repo: string,
  digest: string,
  time: number,
): Promise<void> {
  await tx.run(
    `INSERT INTO manifest_deletions (repo, digest, time) VALUES (?, ?, ?)
     ON CONFLICT (repo, digest) DO UPDATE SET time = excluded.time
     WHERE excluded.time > manifest_deletions.time`,
    repo,
    digest,
    time,
  );
}

/** When a manifest was last deleted; undefined once the record has expired. */
export async function manifestDeletionTime(
  reader: Reader,
  repo: string,
  digest: string,
): Promise<number | undefined> {
  const sql = "SELECT time FROM manifest_deletions WHERE repo = ? AND digest = ?";
  return (await reader.get<{ time: number }>(sql, repo, digest))?.time;
}

/** In place of a tag or a digest: the whole repository. */
export const WHOLE_REPO = "";

/**
 * Records the deletion of a tag, a manifest or all of a path that has no repo here: a late notification of
 * an earlier push must not create it.
 */
export async function writePathDeletion(
  tx: Transaction,
  host: string,
  path: string,
  what: string,
  time: number,
): Promise<void> {
  await tx.run(
    `INSERT INTO path_deletions (host, path, what, time) VALUES (?, ?, ?, ?)
     ON CONFLICT (host, path, what) DO UPDATE SET time = excluded.time
     WHERE excluded.time > path_deletions.time`,
    host,
    path,
    what,
    time,
  );
}

/** The recorded deletions of these tags and digests since a time; the whole path first. */
export function pathDeletions(
  reader: Reader,
  host: string,
  path: string,
  what: readonly string[],
  since: number,
): Promise<{ readonly what: string; readonly time: number }[]> {
  const marks = what.map(() => "?").join(", ");
  const sql = `SELECT what, time FROM path_deletions
    WHERE host = ? AND path = ? AND what IN (${marks}) AND time >= ? ORDER BY what`;
  return reader.all(sql, host, path, ...what, since);
}

/** Whether a repo has tag history or deletions after a time. */
export async function hasActivitySince(
  reader: Reader,
  repo: string,
  time: number,
): Promise<boolean> {
  const sql = `SELECT 1 AS found FROM tag_history WHERE repo = ? AND seen > ?
    UNION ALL SELECT 1 AS found FROM manifest_deletions WHERE repo = ? AND time > ? LIMIT 1`;
  return (await reader.get(sql, repo, time, repo, time)) !== undefined;
}
