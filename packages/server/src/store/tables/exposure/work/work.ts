import type { Transaction } from "../../../db/commit/transaction.ts";
import type { Reader } from "../../../db/connection.ts";

/**
 * The queue of recomputations, an outbox: a change requests the work that follows from it in its own transaction. Work
 * recomputes from the current state, so doing it twice is harmless, and a request for work that waits already adds
 * nothing.
 */

/** The kinds of work. Their keys are described where they are handled (exposure/register.ts). */
export type WorkKind =
  /** `REPO DIGEST` of a manifest: reads the packages of an image, or of the images of an index. */
  | "image"
  /** Empty: requests work for the images that were stored before this server read them. */
  | "backfill"
  /** `REPO DIGEST` or `REPO`: which of its images have tags. */
  | "tags"
  /** `REPO` or `REPO DIGEST`: removes what is stored of deleted images. */
  | "forget"
  /** `SCOPE NAME`, of a group or repo and a vulnerability: assesses the images below with a match of its records. */
  | "vulnerability"
  /** `REPO VULNERABILITY`: writes the event of images that became affected, or are cleared. */
  | "notify"
  /** `REPO DIGEST` of a manifest: verifies the signatures that are attached to it. */
  | "signatures"
  /** `GROUP`: requests the verification of all signatures below, because its keys have changed. */
  | "keys";

export interface WorkRequest {
  readonly kind: WorkKind;
  readonly key: string;
  /** Not before this time, in milliseconds since 1970; 0 for at once. */
  readonly due?: number;
}

export interface Work {
  readonly kind: WorkKind;
  readonly key: string;
  readonly due: number;
  /** Increments with each request: work that was requested again meanwhile is not finished. */
  readonly sequence: number;
  /** Failed attempts since it was requested. */
  readonly attempts: number;
  /** The position after which long work goes on; empty at its beginning. */
  readonly cursor: string;
}

/** Requests work. Work that waits begins again, at the earlier of both times. */
export async function requestWork(
  tx: Transaction,
  requests: readonly WorkRequest[],
): Promise<void> {
  // In one order, and each item once: two transactions that request the same work must not wait for each other.
  const distinct = new Map<string, readonly [string, string, number]>();
  for (const { kind, key, due = 0 } of requests) {
    const before = distinct.get(`${kind} ${key}`)?.[2] ?? due;
    distinct.set(`${kind} ${key}`, [kind, key, Math.min(before, due)]);
  }
  if (distinct.size === 0) return;
  const { asInteger, tuples } = tx.dialect;
  await tx.run(
    `INSERT INTO exposure_work (kind, key, due, sequence, attempts, cursor)
     SELECT kind, key, ${asInteger("due")}, 1, 0, '' FROM (${tuples("kind", "key", "due")}) given
     WHERE true ORDER BY kind, key
     ON CONFLICT (kind, key) DO UPDATE SET sequence = exposure_work.sequence + 1, attempts = 0, cursor = '',
       due = CASE WHEN excluded.due < exposure_work.due THEN excluded.due ELSE exposure_work.due END`,
    JSON.stringify([...distinct.values()]),
  );
}

const COLUMNS = "kind, key, due, sequence, attempts, cursor";

/** Work of these kinds that is due, the earliest first. */
export function dueWork(
  reader: Reader,
  now: number,
  kinds: readonly WorkKind[],
  limit: number,
): Promise<Work[]> {
  const sql = `SELECT ${COLUMNS} FROM exposure_work
    WHERE due <= ? AND kind IN (${reader.dialect.texts}) ORDER BY due, kind, key LIMIT ?`;
  return reader.all<Work>(sql, now, JSON.stringify(kinds), limit);
}

/** The organization whose repo the key of work begins with. */
export function ownerOf(key: string): string {
  return key.split(/[/ ]/, 1)[0] as string;
}

/** The next due work of these kinds, except for these keys and these organizations. */
export function nextWork(
  reader: Reader,
  now: number,
  kinds: readonly WorkKind[],
  except: { readonly keys: readonly string[]; readonly owners: readonly string[] },
): Promise<Work | undefined> {
  // The keys of an organization are between `uid/` and `uid0`.
  const others = except.owners.map(() => " AND NOT (key >= ? AND key < ?)").join("");
  return reader.get<Work>(
    `SELECT ${COLUMNS} FROM exposure_work
     WHERE due <= ? AND kind IN (${reader.dialect.texts}) AND key NOT IN (${reader.dialect.texts})${others}
     ORDER BY due, kind, key LIMIT 1`,
    now,
    JSON.stringify(kinds),
    JSON.stringify(except.keys),
    ...except.owners.flatMap((owner) => [`${owner}/`, `${owner}0`]),
  );
}

/** Whether any of this work waits, or is being done. */
export async function isRequested(
  reader: Reader,
  requests: readonly WorkRequest[],
): Promise<boolean> {
  const sql = `SELECT 1 AS found FROM exposure_work
    WHERE (kind, key) IN (SELECT kind, key FROM (${reader.dialect.tuples("kind", "key")}) given) LIMIT 1`;
  const keys = JSON.stringify(requests.map(({ kind, key }) => [kind, key]));
  return (await reader.get(sql, keys)) !== undefined;
}

/** The number of waiting items, those that are due at a time, and when the earliest of them was. */
export async function countWork(
  reader: Reader,
  now: number,
): Promise<{ readonly waiting: number; readonly due: number }> {
  const row = await reader.get<{ waiting: number; due: number | null }>(
    "SELECT count(*) AS waiting, sum(CASE WHEN due <= ? THEN 1 ELSE 0 END) AS due FROM exposure_work",
    now,
  );
  return { waiting: row?.waiting ?? 0, due: row?.due ?? 0 };
}

/** Removes finished work, unless it was requested again since it was read. */
export async function finishWork(tx: Transaction, work: Work): Promise<void> {
  const sql = "DELETE FROM exposure_work WHERE kind = ? AND key = ? AND sequence = ?";
  await tx.run(sql, work.kind, work.key, work.sequence);
}

/** The same for many items. */
export async function finishAll(tx: Transaction, finished: readonly Work[]): Promise<void> {
  const { asInteger, tuples } = tx.dialect;
  await tx.run(
    `DELETE FROM exposure_work WHERE (kind, key, sequence) IN (
       SELECT kind, key, ${asInteger("sequence")} FROM (${tuples("kind", "key", "sequence")}) given)`,
    JSON.stringify(finished.map(({ kind, key, sequence }) => [kind, key, sequence])),
  );
}

/** Records how far long work has come, unless it was requested again and so begins again. */
export async function continueWork(tx: Transaction, work: Work, cursor: string): Promise<void> {
  const sql = "UPDATE exposure_work SET cursor = ? WHERE kind = ? AND key = ? AND sequence = ?";
  await tx.run(sql, cursor, work.kind, work.key, work.sequence);
}

/** Records a failed attempt, and when the next one is due. */
export async function postponeWork(tx: Transaction, work: Work, due: number): Promise<void> {
  const sql = `UPDATE exposure_work SET due = ?, attempts = attempts + 1
    WHERE kind = ? AND key = ? AND sequence = ?`;
  await tx.run(sql, due, work.kind, work.key, work.sequence);
}
