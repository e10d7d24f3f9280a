import type { Reader } from "./connection.ts";
import type { Transaction } from "./group-commit.ts";

/** Which notifications of registries were taken in, so that one that comes twice counts once. */

/**
 * Takes note of a notification. Returns false when it was known.
 *
 * @example if (!(await firstTime(tx, host, notice.id, Date.now()))) return;
 */
export async function firstTime(
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
export async function noteDeletion(
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
export async function deletionOf(
  reader: Reader,
  repo: string,
  digest: string,
): Promise<number | undefined> {
  const sql = "SELECT time FROM manifest_deletions WHERE repo = ? AND digest = ?";
  return (await reader.get<{ time: number }>(sql, repo, digest))?.time;
}

/** Forgets what came before a time: no registry tells again what it told so long ago. */
export async function forgetNotices(tx: Transaction, before: number): Promise<void> {
  await tx.run("DELETE FROM registry_notices WHERE time < ?", before);
  await tx.run("DELETE FROM manifest_deletions WHERE time < ?", before);
}
