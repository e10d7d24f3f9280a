import type { Reader } from "../db/connection.ts";
import type { Transaction } from "../db/group-commit.ts";

/**
 * What the tags of repos have stood for, by the repo and the name, so that it outlives the tag. The
 * newest entry is what the tag is now: whatever is told later of an earlier time changes nothing.
 */

export interface HistoryEntry {
  readonly id: number;
  /** Empty where the tag was deleted. */
  readonly digest: string;
  readonly time: number;
  /** The last time at which that was still so. */
  readonly seen: number;
}

/** Where a page of the history begins: after this entry, towards older ones. */
export interface HistoryCursor {
  readonly time: number;
  readonly id: number;
}

const COLUMNS = "id, digest, time, seen";

/** @example const now = await newestEntry(tx, repo, "latest"); */
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

/**
 * The digest that a name stood for last, also where the tag has been deleted since.
 *
 * @example const digest = await lastDigest(tx, repo, "latest");
 */
export async function lastDigest(
  reader: Reader,
  repo: string,
  name: string,
): Promise<string | undefined> {
  return (await readHistory(reader, repo, name, undefined, 1))[0]?.digest;
}

/**
 * What a name has stood for, newest first.
 *
 * @example const entries = await readHistory(reader, repo, "latest", undefined, 51);
 */
export async function readHistory(
  reader: Reader,
  repo: string,
  name: string,
  after: HistoryCursor | undefined,
  limit: number,
): Promise<HistoryEntry[]> {
  const older = after === undefined ? "" : "AND (time, id) < (?, ?)";
  return reader.all<HistoryEntry>(
    `SELECT ${COLUMNS} FROM tag_history WHERE repo = ? AND name = ? AND digest <> '' ${older}
     ORDER BY time DESC, id DESC LIMIT ?`,
    repo,
    name,
    ...(after === undefined ? [] : [after.time, after.id]),
    limit,
  );
}

/** Adds an entry, unless it is there. */
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

/** Notes that an entry still held at a time. */
export async function confirmEntry(tx: Transaction, id: number, time: number): Promise<void> {
  await tx.run("UPDATE tag_history SET seen = ? WHERE id = ? AND seen < ?", time, id, time);
}

/** Forgets the history of all tags of a repo, when it is deleted. */
export async function forgetHistory(tx: Transaction, repo: string): Promise<void> {
  await tx.run("DELETE FROM tag_history WHERE repo = ?", repo);
}
