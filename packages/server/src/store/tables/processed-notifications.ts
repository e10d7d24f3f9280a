import type { Reader } from "../db/connection.ts";
import type { Transaction } from "../db/group-commit.ts";

/** Which notifications of registries were taken in, so that one that comes twice counts once. */

/**
 * Takes note of a notification. Returns false when it was known.
 *
 * @example if (!(await recordNotification(tx, host, notice.id, Date.now()))) return;
 */
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

/** Notes that a manifest was deleted, for news of an earlier push that comes later. */
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

/** When a manifest was last deleted, as far as that is remembered. */
export async function manifestDeletionTime(
  reader: Reader,
  repo: string,
  digest: string,
): Promise<number | undefined> {
  const sql = "SELECT time FROM manifest_deletions WHERE repo = ? AND digest = ?";
  return (await reader.get<{ time: number }>(sql, repo, digest))?.time;
}

/** Stands for all of a repository, where a tag or a digest stands for one. */
export const WHOLE_REPO = "";

/**
 * Notes that a tag, a manifest or all of a path of a registry was deleted, where there is nothing of
 * it here, for news of an earlier push that comes later.
 *
 * @example await recordPathDeletion(tx, host, "acme/app", "latest", notice.time);
 */
export async function recordPathDeletion(
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

/** Which of some things were deleted since a time, as far as that is remembered; all of it first. */
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

/** Whether anything is remembered of a repo that was so after a time. */
export async function hasActivitySince(
  reader: Reader,
  repo: string,
  time: number,
): Promise<boolean> {
  const sql = `SELECT 1 AS found FROM tag_history WHERE repo = ? AND seen > ?
    UNION ALL SELECT 1 AS found FROM manifest_deletions WHERE repo = ? AND time > ? LIMIT 1`;
  return (await reader.get(sql, repo, time, repo, time)) !== undefined;
}
