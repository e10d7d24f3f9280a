import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";
import { forgetHistory } from "./tags.ts";

/**
 * The locations of repos that callers have deleted, while their images stay in the registries. The
 * history of their tags is kept, to notice what is pushed later.
 */

export interface RepoDeletion {
  readonly host: string;
  readonly path: string;
  /** The uid of the deleted repo. */
  readonly repo: string;
  readonly time: number;
}

const COLUMNS = "host, path, repo, time";

export async function writeRepoDeletion(tx: Transaction, deletion: RepoDeletion): Promise<void> {
  const { host, path, repo, time } = deletion;
  await clearRepoDeletion(tx, host, path);
  const sql = `INSERT INTO repo_deletions (${COLUMNS}, seen) VALUES (?, ?, ?, ?, ?)`;
  await tx.run(sql, host, path, repo, time, time);
}

export function findRepoDeletion(
  reader: Reader,
  host: string,
  path: string,
): Promise<RepoDeletion | undefined> {
  const sql = `SELECT ${COLUMNS} FROM repo_deletions WHERE host = ? AND path = ?`;
  return reader.get<RepoDeletion>(sql, host, path);
}

/** A deletion of a repo below a group, in one of these registries. */
export function deletionBelow(
  reader: Reader,
  hosts: readonly string[],
  group: string,
): Promise<RepoDeletion | undefined> {
  const sql = `SELECT ${COLUMNS} FROM repo_deletions
    WHERE repo > ? AND repo < ? AND host IN (${reader.dialect.texts}) LIMIT 1`;
  return reader.get<RepoDeletion>(sql, `${group}/`, `${group}0`, JSON.stringify(hosts));
}

/** Whether a repo outside of an organization was deleted below this first segment of paths. */
export async function hasForeignDeletion(
  reader: Reader,
  hosts: readonly string[],
  segment: string,
  organization: string,
): Promise<boolean> {
  const sql = `SELECT repo FROM repo_deletions
    WHERE path > ? AND path < ? AND (repo < ? OR repo > ?) AND host IN (${reader.dialect.texts}) LIMIT 1`;
  const bounds = [`${segment}/`, `${segment}0`, `${organization}/`, `${organization}0`];
  return (await reader.get(sql, ...bounds, JSON.stringify(hosts))) !== undefined;
}

/** The paths of deleted repos below a group that contain a folder of this name, at any depth. */
export async function deletedPathsWith(
  reader: Reader,
  hosts: readonly string[],
  group: string,
  folder: string,
  limit: number,
): Promise<string[]> {
  const sql = `SELECT path FROM repo_deletions
    WHERE repo > ? AND repo < ? AND path LIKE ? ESCAPE '!' AND host IN (${reader.dialect.texts}) LIMIT ?`;
  const pattern = `%/${folder.replaceAll(/[!%_]/g, "!$&")}/%`;
  const range = [`${group}/`, `${group}0`];
  const named = JSON.stringify(hosts);
  const rows = await reader.all<{ path: string }>(sql, ...range, pattern, named, limit);
  return rows.map(({ path }) => path);
}

/** Forgets a deletion: there is a repo again, or the registry has nothing at the path. */
export async function clearRepoDeletion(
  tx: Transaction,
  host: string,
  path: string,
): Promise<void> {
  const deletion = await findRepoDeletion(tx, host, path);
  if (deletion === undefined) return;
  await tx.run("DELETE FROM repo_deletions WHERE host = ? AND path = ?", host, path);
  const other = "SELECT 1 AS found FROM repo_deletions WHERE repo = ? LIMIT 1";
  if ((await tx.get(other, deletion.repo)) === undefined) await forgetHistory(tx, deletion.repo);
}

/** Records that a registry still has these paths, if repos were deleted there. */
export async function markDeletionsSeen(
  tx: Transaction,
  host: string,
  paths: readonly string[],
  time: number,
): Promise<void> {
  const sql = `UPDATE repo_deletions SET seen = ?
    WHERE host = ? AND seen < ? AND path IN (${tx.dialect.texts})`;
  await tx.run(sql, time, host, time, JSON.stringify(paths));
}

/** Deletions whose path a registry has not had since a time. */
export function unseenDeletions(
  reader: Reader,
  host: string,
  since: number,
  limit: number,
): Promise<RepoDeletion[]> {
  const sql = `SELECT ${COLUMNS} FROM repo_deletions WHERE host = ? AND seen < ? LIMIT ?`;
  return reader.all<RepoDeletion>(sql, host, since, limit);
}
