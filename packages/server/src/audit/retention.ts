import type { Store } from "../store/db/store.ts";
import {
  auditIds,
  deleteAuditRange,
  GROUP_IDS,
  readAuditTimes,
} from "../store/tables/audit/entries.ts";
import { type ChainHead, chainHeads, checkpointedId } from "../store/tables/audit/heads.ts";
import type { Checkpoints } from "./checkpoints.ts";

/** Roots whose deletions one transaction signs: a few milliseconds. */
const ROOTS_BATCH = 32;

/** Entries of an incomplete group expire together: each deletion is signed. */
const INCOMPLETE_GRACE_MS = 24 * 3_600_000;

/** Numbers of deleted rows. */
export interface Deleted {
  readonly entries: number;
  readonly checkpoints: number;
}

/**
 * Deletes the oldest entries of the audit log that are older than a time and covered by checkpoints: a whole group, or
 * what has expired of it if that is a day ago. Returns how many, undefined if there is nothing to delete. Before, a
 * checkpoint of each root declares what is deleted, so that it differs from entries that somebody removed; older
 * checkpoints are deleted with that. An interruption is continued by the next call.
 */
export async function deleteExpiredEntries(
  store: Store,
  checkpoints: Checkpoints,
  until: number,
): Promise<Deleted | undefined> {
  const { reader } = store;
  const { first, last } = await auditIds(reader);
  // The last entry stays, because ids continue after it.
  const end = Math.min((Math.floor(first / GROUP_IDS) + 1) * GROUP_IDS, last);
  const group = await readAuditTimes(reader, first, end);
  const covered = await checkpointedId(reader);
  const firstRetained = group.findIndex(([id, time]) => time > until || id > covered);
  const expired = firstRetained < 0 ? group : group.slice(0, firstRetained);
  const [oldest, newest] = [expired[0], expired.at(-1)];
  if (oldest === undefined || newest === undefined) return undefined;
  const isWhole = firstRetained < 0 && end < last;
  if (!isWhole && oldest[1] > until - INCOMPLETE_GRACE_MS) return undefined;
  const cut = await declareDeletion(store, checkpoints, first, newest[0]);
  const entries = await store.write((tx) => deleteAuditRange(tx, first, newest[0] + 1));
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
