import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";

/**
 * The history of tags, by repo and name, so that it outlives the tag, and the current tags of a repo. The
 * newest entry is the state of the tag: a late notification of an earlier time does not change it.
 */

export interface HistoryEntry {
  readonly id: number;
  /** Empty where the tag was deleted. */
  readonly digest: string;
  readonly time: number;
  /** The last time at which the entry was confirmed. */
  readonly seen: number;
}

/** The entry after which a page of the history begins. */
export interface HistoryCursor {
  readonly time: number;
  readonly id: number;
}

/** A page of the history of a tag: newest first, unless ascending. */
export interface HistoryPage {
  readonly after?: HistoryCursor | undefined;
  /** From this time on. */
  readonly start?: number | undefined;
  /** Before this time. */
  readonly end?: number | undefined;
  readonly ascending?: boolean;
  readonly limit: number;
}

const COLUMNS = "id, digest, time, seen";

export async function newestEntry(
  reader: Reader,
  repo: string,
  name: string,
): Promise<HistoryEntry | undefined> {
  return reader.get<HistoryEntry>(
    `SELECT ${COLUMNS} FROM tag_history WHERE repo = ? AND name = ?
     ORDER BY time DESC, id DESC LIMIT 1`,
    repo,
    name,
  );
}

/** The last digest of a tag, also of a deleted one. */
export async function lastDigest(
  reader: Reader,
  repo: string,
  name: string,
): Promise<string | undefined> {
  return (await readHistory(reader, repo, name, { limit: 1 }))[0]?.digest;
}

/** The digests that a tag has had. */
export async function readHistory(
  reader: Reader,
  repo: string,
  name: string,
  { after, start, end, ascending = false, limit }: HistoryPage,
): Promise<HistoryEntry[]> {
  const direction = ascending ? "ASC" : "DESC";
  const bounds: readonly (readonly [sql: string, values: readonly (number | undefined)[]])[] = [
    [`AND (time, id) ${ascending ? ">" : "<"} (?, ?)`, [after?.time, after?.id]],
    ["AND time >= ?", [start]],
    ["AND time < ?", [end]],
  ];
  const defined = bounds.filter(([, values]) => values[0] !== undefined);
  return reader.all<HistoryEntry>(
    `SELECT ${COLUMNS} FROM tag_history WHERE repo = ? AND name = ? AND digest <> ''
     ${defined.map(([sql]) => sql).join(" ")} ORDER BY time ${direction}, id ${direction} LIMIT ?`,
    repo,
    name,
    ...defined.flatMap(([, values]) => values as readonly number[]),
    limit,
  );
}

/** The digests that tags of these names had last, by name; empty for deleted ones. */
export async function lastDigests(
  reader: Reader,
  repo: string,
  names: readonly string[],
): Promise<Map<string, string>> {
  const sql = `SELECT name, digest FROM tag_history entry
    WHERE repo = ? AND name IN (${reader.dialect.texts}) AND NOT EXISTS (
      SELECT 1 FROM tag_history later WHERE later.repo = entry.repo AND later.name = entry.name
        AND (later.time, later.id) > (entry.time, entry.id))`;
  const rows = await reader.all<KnownTag>(sql, repo, JSON.stringify(names));
  return new Map(rows.map(({ name, digest }) => [name, digest]));
}

/** Adds an entry, unless it exists. */
export async function addEntry(
  tx: Transaction,
  repo: string,
  name: string,
  digest: string,
  time: number,
): Promise<void> {
  await tx.run(
    `INSERT INTO tag_history (repo, name, digest, time, seen) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (repo, name, time, digest) DO NOTHING`,
    repo,
    name,
    digest,
    time,
    time,
  );
}

/** Confirms that an entry was still current at a time. */
export async function confirmEntry(tx: Transaction, id: number, time: number): Promise<void> {
  await tx.run("UPDATE tag_history SET seen = ? WHERE id = ? AND seen < ?", time, id, time);
}

/** Deletes the history of a deleted repo. */
export async function forgetHistory(tx: Transaction, repo: string): Promise<void> {
  await tx.run("DELETE FROM tag_history WHERE repo = ?", repo);
}

/** A tag as stored here, to be compared with that of a registry. */
export interface KnownTag {
  readonly name: string;
  readonly digest: string;
}

/** The next tags of a repo after a name, in the order of names. */
export function knownTags(
  reader: Reader,
  repo: string,
  after: string,
  limit: number,
): Promise<KnownTag[]> {
  const sql = "SELECT name, digest FROM tags WHERE parent = ? AND name > ? ORDER BY name LIMIT ?";
  return reader.all<KnownTag>(sql, repo, after, limit);
}

/** The next tags of a repo after a name whose images the registry of this server has. */
export async function servedTags(
  reader: Reader,
  repo: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const sql = `SELECT name FROM tags WHERE parent = ? AND name > ? AND EXISTS (
      SELECT 1 FROM manifests WHERE manifests.repo = tags.parent
        AND manifests.digest = tags.digest AND manifests.content IS NOT NULL)
    ORDER BY name LIMIT ?`;
  const rows = await reader.arrays<readonly [string]>(sql, repo, after, limit);
  return rows.map(([name]) => name);
}

/** The tags of a repo that have one of these digests, in the order of names. */
export async function tagsOfDigests(
  reader: Reader,
  repo: string,
  digests: readonly string[],
): Promise<KnownTag[]> {
  if (digests.length === 0) return [];
  const sql = `SELECT name, digest FROM tags
    WHERE parent = ? AND digest IN (${reader.dialect.texts}) ORDER BY name`;
  return reader.all<KnownTag>(sql, repo, JSON.stringify(digests));
}

/** The digests of the tags with these names, by name. */
export async function tagsNamed(
  reader: Reader,
  repo: string,
  names: readonly string[],
): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const marks = names.map(() => "?").join(", ");
  const sql = `SELECT name, digest FROM tags WHERE parent = ? AND name IN (${marks})`;
  const rows = await reader.all<KnownTag>(sql, repo, ...names);
  return new Map(rows.map(({ name, digest }) => [name, digest]));
}
