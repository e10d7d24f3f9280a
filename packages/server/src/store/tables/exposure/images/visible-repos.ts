import type { Reader } from "../../../db/connection.ts";
import { numberOf, part } from "../sql-part.ts";
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

/** The number of distinct images in the repos at and below a scope, without what is attached to others. */
export function countDigests(reader: Reader, low: string, high: string): Promise<number> {
  const from = `FROM manifests
    WHERE ((repo >= ? AND repo < ?) OR repo = ?) AND kind = 'image' AND subject = ''`;
  return numberOf(reader, "count(DISTINCT digest)", part(from, `${low}/`, high, low));
}

/** The digest of the tag of a repo that was moved last. */
export async function newestDigest(reader: Reader, repo: string): Promise<string | undefined> {
  const sql = "SELECT digest FROM tags WHERE parent = ? ORDER BY updated DESC, name LIMIT 1";
  return (await reader.get<{ digest: string }>(sql, repo))?.digest;
}
