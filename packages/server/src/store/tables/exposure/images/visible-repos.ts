import type { Reader } from "../../../db/connection.ts";
import type { RepoInterval } from "./visible-images.ts";

/** Repos that a caller may see, by name. */

export interface NamedRepo {
  readonly uid: string;
  readonly name: string;
}

/** Whether a repo is in the intervals. */
export function isVisible(intervals: readonly RepoInterval[], uid: string): boolean {
  return intervals.some(
    ({ low, high, length }) =>
      uid >= low && uid < high && (length === undefined || uid.length === length),
  );
}

/** The visible repos with these names. */
export async function visibleReposNamed(
  reader: Reader,
  intervals: readonly RepoInterval[],
  names: readonly string[],
): Promise<NamedRepo[]> {
  if (names.length === 0 || intervals.length === 0) return [];
  const rows = await reader.all<NamedRepo>(
    `SELECT uid, name FROM repos WHERE name IN (${reader.dialect.texts}) ORDER BY uid`,
    JSON.stringify([...new Set(names)]),
  );
  return rows.filter(({ uid }) => isVisible(intervals, uid));
}

/** The names of repos, by their uids. */
export async function namesOfRepos(
  reader: Reader,
  uids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const sql = `SELECT uid, name FROM repos WHERE uid IN (${reader.dialect.texts})`;
  const rows = await reader.arrays<readonly [string, string]>(sql, JSON.stringify(uids));
  return new Map(rows);
}

/** The number of distinct images in the repos at and below a scope, without what is attached to others. */
export async function countDigests(reader: Reader, low: string, high: string): Promise<number> {
  const row = await reader.get<{ total: number }>(
    `SELECT count(DISTINCT digest) AS total FROM manifests
     WHERE ((repo >= ? AND repo < ?) OR repo = ?) AND kind = 'image' AND subject = ''`,
    `${low}/`,
    high,
    low,
  );
  return Number(row?.total ?? 0);
}

/** The digest of the tag of a repo that was moved last. */
export async function newestDigest(reader: Reader, repo: string): Promise<string | undefined> {
  const sql = "SELECT digest FROM tags WHERE parent = ? ORDER BY updated DESC, name LIMIT 1";
  return (await reader.get<{ digest: string }>(sql, repo))?.digest;
}

/** The names of groups, by their uids. */
export async function namesOfGroups(
  reader: Reader,
  uids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const sql = `SELECT uid, name FROM groups WHERE uid IN (${reader.dialect.texts})`;
  const rows = await reader.arrays<readonly [string, string]>(sql, JSON.stringify(uids));
  return new Map(rows);
}
