import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";

/**
 * The index of the audit log. Entries are never changed, so it is built in the background, one segment of consecutive
 * ids after the other: for each value that filters compare, the positions of its entries within the segment. A filter
 * reads the postings of its values; the number of their positions is its exact total. Writes of entries pay nothing.
 */

/** Entries of a segment: ids from `segment * SEGMENT_SIZE` on. */
export const SEGMENT_SIZE = 1024;

/** What filters compare: `at` is the resource and each of its ancestors. */
export type PostingKind =
  | "at"
  | "actor"
  | "method"
  | "code"
  | "address"
  | "request"
  | "session"
  | "via";

export type Posting = readonly [kind: PostingKind, value: string, positions: string];

export interface StoredSegment {
  readonly segment: number;
  /** The earliest and the latest time of its entries. */
  readonly firstTime: number;
  readonly lastTime: number;
  /** The positions of all its entries. */
  readonly present: string;
}

/** The segments from a number on, at most so many. */
export async function readSegments(
  reader: Reader,
  from: number,
  limit: number,
): Promise<StoredSegment[]> {
  const rows = await reader.arrays<readonly [number, number, number, string]>(
    `SELECT segment, first_time, last_time, present FROM audit_segments
     WHERE segment >= ? ORDER BY segment LIMIT ?`,
    from,
    limit,
  );
  return rows.map(([segment, firstTime, lastTime, present]) => {
    return { segment, firstTime, lastTime, present };
  });
}

/** The first segment; undefined if there is none. */
export async function firstSegment(reader: Reader): Promise<number | undefined> {
  const sql = "SELECT segment FROM audit_segments ORDER BY segment LIMIT 1";
  return (await reader.get<{ segment: number }>(sql))?.segment;
}

/** The last segment; undefined if there is none. */
export async function lastSegment(reader: Reader): Promise<number | undefined> {
  const sql = "SELECT segment FROM audit_segments ORDER BY segment DESC LIMIT 1";
  return (await reader.get<{ segment: number }>(sql))?.segment;
}

/** Makes a segment visible, once it has its postings. */
export async function addSegment(tx: Transaction, added: StoredSegment): Promise<void> {
  const { segment, firstTime, lastTime, present } = added;
  await tx.run(
    `INSERT INTO audit_segments (segment, first_time, last_time, present) VALUES (?, ?, ?, ?)
     ON CONFLICT (segment) DO NOTHING`,
    ...[segment, firstTime, lastTime, present],
  );
}

export async function deleteSegment(tx: Transaction, segment: number): Promise<void> {
  await tx.run("DELETE FROM audit_segments WHERE segment = ?", segment);
}

/** Adds postings of a segment. Adding the same ones again, after an interruption, changes nothing. */
export async function addPostings(
  tx: Transaction,
  segment: number,
  postings: readonly Posting[],
): Promise<void> {
  const { tuples } = tx.dialect;
  await tx.run(
    `INSERT INTO audit_postings (kind, value, segment, positions)
     SELECT kind, value, ${segment}, positions FROM (${tuples("kind", "value", "positions")}) given
     WHERE true ON CONFLICT (kind, value, segment) DO UPDATE SET positions = excluded.positions`,
    JSON.stringify(postings),
  );
}

export async function deletePostings(
  tx: Transaction,
  segment: number,
  postings: readonly Posting[],
): Promise<void> {
  const { tuples } = tx.dialect;
  await tx.run(
    `DELETE FROM audit_postings WHERE segment = ? AND (kind, value) IN
     (SELECT kind, value FROM (${tuples("kind", "value", "positions")}) given)`,
    segment,
    JSON.stringify(postings),
  );
}

/** The postings of a value in segments from one (inclusive) to another (exclusive), in order, at most so many. */
export async function readPostings(
  reader: Reader,
  kind: PostingKind,
  value: string,
  from: number,
  to: number,
  limit: number,
): Promise<(readonly [segment: number, positions: string])[]> {
  return reader.arrays(
    `SELECT segment, positions FROM audit_postings
     WHERE kind = ? AND value = ? AND segment >= ? AND segment < ? ORDER BY segment LIMIT ?`,
    ...[kind, value, from, to, limit],
  );
}

/** The values of a kind that has few of them: one look-up for each. */
export async function postedValues(reader: Reader, kind: PostingKind): Promise<string[]> {
  const rows = await reader.arrays<readonly [string | null]>(
    `WITH RECURSIVE found (value) AS (
       SELECT min(value) FROM audit_postings WHERE kind = ?
       UNION ALL
       SELECT (SELECT min(value) FROM audit_postings WHERE kind = ? AND value > found.value)
       FROM found WHERE found.value IS NOT NULL)
     SELECT value FROM found WHERE value IS NOT NULL`,
    kind,
    kind,
  );
  return rows.map(([value]) => value as string);
}

/** Deletes the entries of an id range. */
export function deleteAuditRange(tx: Transaction, from: number, to: number): Promise<number> {
  return tx.run("DELETE FROM audit WHERE id >= ? AND id < ?", from, to);
}
