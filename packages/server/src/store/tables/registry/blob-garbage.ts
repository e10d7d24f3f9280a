import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";
import type { Blob } from "./blobs.ts";
import { removeContent } from "./content.ts";

/**
 * Garbage among blobs and their links. A link is garbage if its repo is gone, or if no manifest of the repo refers to the
 * blob and its lease has ended. A blob is garbage if no repo links to it.
 */

/** A link of a blob to a repo. */
export interface BlobLink {
  readonly repo: string;
  readonly digest: string;
}

/** A link, and what keeps it. */
export interface ExaminedLink extends BlobLink {
  /** When its lease ends. */
  readonly leased: number;
  /** 1 if a manifest of the repo refers to the blob. */
  readonly referred: number;
  /** 1 if there is such a repo. */
  readonly present: number;
}

const REFERRED = `EXISTS (SELECT 1 FROM manifest_references
  WHERE manifest_references.digest = blob_links.digest AND manifest_references.repo = blob_links.repo)`;

const PRESENT = "EXISTS (SELECT 1 FROM repos WHERE repos.uid = blob_links.repo)";

/** Links read at a time: two look-ups each, a few milliseconds. */
export const LINK_PAGE_SIZE = 250;

/** The next links after one of them, up to a digest, in the order of digests and repos. */
export function linksAfter(reader: Reader, after: BlobLink, last: string): Promise<ExaminedLink[]> {
  return reader.all<ExaminedLink>(
    `SELECT repo, digest, leased, CASE WHEN ${REFERRED} THEN 1 ELSE 0 END AS referred,
       CASE WHEN ${PRESENT} THEN 1 ELSE 0 END AS present
     FROM blob_links WHERE (digest, repo) > (?, ?) AND digest <= ?
     ORDER BY digest, repo LIMIT ${LINK_PAGE_SIZE}`,
    after.digest,
    after.repo,
    last,
  );
}

/** Whether a link is garbage at a time. */
export function isGarbage({ leased, referred, present }: ExaminedLink, now: number): boolean {
  return present === 0 || (referred === 0 && leased < now);
}

/**
 * Deletes those of the links that are garbage now, and those of the blobs that no repo links to then. Returns these blobs.
 *
 * A transaction that relies on a blob locks its row first (`keepBlobs`, `addBlob`) and reads its links after that. So it
 * waits for this one and finds what is left, or this one does not get the lock and leaves the blob to the next pass. Links
 * are looked at in statements after the one that locks: on PostgreSQL, each sees what was committed before it.
 */
export async function deleteGarbage(
  tx: Transaction,
  digests: readonly string[],
  links: readonly BlobLink[],
  now: number,
): Promise<Blob[]> {
  const { texts, tuples, lockUnlocked } = tx.dialect;
  const rows = await tx.all<Pick<Blob, "digest">>(
    `SELECT digest FROM blobs WHERE digest IN (${texts}) ORDER BY digest ${lockUnlocked}`,
    JSON.stringify(digests),
  );
  const locked = new Set(rows.map(({ digest }) => digest));
  const own = links.filter(({ digest }) => locked.has(digest));
  const unlinked = await tx.all<BlobLink>(
    `DELETE FROM blob_links WHERE (repo, digest) IN (${tuples("repo", "digest")})
       AND (NOT ${PRESENT} OR (leased < ? AND NOT ${REFERRED}))
     RETURNING repo, digest`,
    JSON.stringify(own.map(({ repo, digest }) => [repo, digest])),
    now,
  );
  await removeContent(tx, unlinked);
  const freed = await tx.all<Blob>(
    `DELETE FROM blobs WHERE digest IN (${texts})
       AND NOT EXISTS (SELECT 1 FROM blob_links WHERE blob_links.digest = blobs.digest)
     RETURNING digest, size`,
    JSON.stringify([...locked]),
  );
  return freed.map(({ digest, size }) => ({ digest, size: Number(size) }));
}
