import type { Store } from "../store/db/store.ts";
import {
  deleteAuditRange,
  deletePostings,
  deleteSegment,
  firstSegment,
  readSegments,
  SEGMENT_SIZE,
} from "../store/tables/audit/audit-index.ts";
import { type AuditKeys, auditIds, readAuditKeys } from "../store/tables/audit/entries.ts";
import { type ChainHead, chainHeads, checkpointedId } from "../store/tables/audit/heads.ts";
import type { Checkpoints } from "./checkpoints.ts";
import { postingsOf } from "./index/terms.ts";

/** What one transaction deletes or signs: a few milliseconds. */
const POSTINGS_BATCH = 400;
const ENTRIES_BATCH = 256;
const ROOTS_BATCH = 32;

/** Entries that are not indexed, because they are few, expire together: each deletion is signed. */
const UNINDEXED_GRACE_MS = 24 * 3_600_000;

/** How many rows were deleted. */
export interface Deleted {
  readonly entries: number;
  readonly checkpoints: number;
}

/**
 * Deletes the oldest entries of the audit log that are older than a time and covered by checkpoints: a whole segment, or
 * a batch if they are not indexed. Returns how many, undefined if there is nothing to delete. Before, a checkpoint of
 * each root declares what is deleted, so that it differs from entries that somebody removed; older checkpoints are
 * deleted with that. An interruption is continued by the next call.
 */
export async function deleteExpiredEntries(
  store: Store,
  checkpoints: Checkpoints,
  until: number,
): Promise<Deleted | undefined> {
  const { reader } = store;
  const { first, last } = await auditIds(reader);
  if (first === 0) return undefined;
  const segment = await firstSegment(reader);
  if (segment === undefined) return deleteUnindexed(store, checkpoints, until, first, last);
  // Entries before the first segment are what an interruption has left.
  if (first < segment * SEGMENT_SIZE) {
    return {
      entries: await deleteIndexed(store, Math.floor(first / SEGMENT_SIZE)),
      checkpoints: 0,
    };
  }
  const end = (segment + 1) * SEGMENT_SIZE - 1;
  const oldest = (await readSegments(reader, segment, 1))[0];
  if (oldest === undefined || oldest.lastTime > until) return undefined;
  // The last entry stays, because ids continue after it.
  if (end >= last || (await checkpointedId(reader)) < end) return undefined;
  const cut = await declareDeletion(store, checkpoints, segment * SEGMENT_SIZE, end);
  await store.write((tx) => deleteSegment(tx, segment));
  return { entries: await deleteIndexed(store, segment), checkpoints: cut };
}

/** Deletes entries from the first one on. */
async function deleteUnindexed(
  store: Store,
  checkpoints: Checkpoints,
  until: number,
  first: number,
  last: number,
): Promise<Deleted | undefined> {
  const rows = await readAuditKeys(store.reader, first, last, ENTRIES_BATCH);
  const oldest = rows[0];
  if (oldest === undefined || oldest[1] > until - UNINDEXED_GRACE_MS) return undefined;
  const covered = await checkpointedId(store.reader);
  const kept = rows.findIndex(([id, time]) => time > until || id > covered);
  const expired = kept < 0 ? rows : rows.slice(0, kept);
  const end = expired.at(-1)?.[0];
  if (end === undefined) return undefined;
  const cut = await declareDeletion(store, checkpoints, first, end);
  const entries = await store.write((tx) => deleteAuditRange(tx, first, end + 1));
  return { entries, checkpoints: cut };
}

/**
 * Adds checkpoints of the roots of an id range that declare the entries of the range as deleted. Returns how many older
 * ones are deleted.
 */
async function declareDeletion(
  store: Store,
  checkpoints: Checkpoints,
  from: number,
  to: number,
): Promise<number> {
  const heads = await chainHeads(store.reader, from, to);
  const byRoot = [...Map.groupBy(heads, ({ root }) => root).values()];
  let deleted = 0;
  for (let at = 0; at < byRoot.length; at += ROOTS_BATCH) {
    deleted += await store.write(async (tx) => {
      await tx.acquireLock();
      let cut = 0;
      for (const ends of byRoot.slice(at, at + ROOTS_BATCH)) {
        cut += await checkpoints.addDeletion(tx, ends as [ChainHead, ...ChainHead[]]);
      }
      return cut;
    });
  }
  return deleted;
}

/** Deletes the postings and the entries of a segment that is no longer visible. */
async function deleteIndexed(store: Store, segment: number): Promise<number> {
  const from = segment * SEGMENT_SIZE;
  const to = from + SEGMENT_SIZE;
  const rows: readonly AuditKeys[] = await readAuditKeys(store.reader, from, to, SEGMENT_SIZE);
  const postings = postingsOf(rows);
  for (let at = 0; at < postings.length; at += POSTINGS_BATCH) {
    const batch = postings.slice(at, at + POSTINGS_BATCH);
    await store.write((tx) => deletePostings(tx, segment, batch));
  }
  let deleted = 0;
  // From the end: as long as an entry is left, an interrupted deletion is noticed.
  for (let at = to; at > from; at -= ENTRIES_BATCH) {
    deleted += await store.write((tx) => deleteAuditRange(tx, at - ENTRIES_BATCH, at));
  }
  return deleted;
}
