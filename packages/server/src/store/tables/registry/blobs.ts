import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";
import { addContent, type ContentGrowth, forgetContent, removeContent } from "./content.ts";

/**
 * The blobs of the registry, stored once for all repos, and their links to repos. Only a link makes a blob visible: a
 * digest must not reveal the content of another tenant. A lease keeps a link without a manifest from being collected:
 * a client that has uploaded a blob, or has seen it, pushes its manifest later.
 */

export interface Blob {
  readonly digest: string;
  readonly size: number;
}

/** A blob, and when its content was found damaged: 0 if it was not. */
export interface ExaminedBlob extends Blob {
  readonly damaged: number;
}

/** A blob that a repo links to, also a damaged one. */
export async function findBlob(
  reader: Reader,
  repo: string,
  digest: string,
): Promise<(ExaminedBlob & { readonly leased: number }) | undefined> {
  return reader.get(
    `SELECT blobs.digest, blobs.size, blobs.damaged, blob_links.leased FROM blob_links
     JOIN blobs ON blobs.digest = blob_links.digest
     WHERE blob_links.repo = ? AND blob_links.digest = ?`,
    repo,
    digest,
  );
}

/** The sizes of those of the blobs that a repo links to and that are not damaged, by digest. */
export async function findBlobs(
  reader: Reader,
  repo: string,
  digests: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await reader.all<Blob>(
    `SELECT blobs.digest, blobs.size FROM blob_links
     JOIN blobs ON blobs.digest = blob_links.digest
     WHERE blob_links.repo = ? AND blobs.damaged = 0
       AND blob_links.digest IN (${reader.dialect.texts})`,
    repo,
    JSON.stringify(digests),
  );
  return new Map(rows.map(({ digest, size }) => [digest, size]));
}

/** Digests that have a row, whichever repos link to them. */
export async function findExisting(
  reader: Reader,
  digests: readonly string[],
): Promise<ReadonlySet<string>> {
  if (digests.length === 0) return new Set();
  const sql = `SELECT digest FROM blobs WHERE digest IN (${reader.dialect.texts})`;
  const rows = await reader.all<Pick<Blob, "digest">>(sql, JSON.stringify(digests));
  return new Set(rows.map(({ digest }) => digest));
}

export async function hasBlobs(reader: Reader): Promise<boolean> {
  return (await reader.get("SELECT 1 AS one FROM blobs LIMIT 1")) !== undefined;
}

/** Blobs by digest, those after one of them. */
export async function blobsAfter(
  reader: Reader,
  digest: string,
  limit: number,
): Promise<ExaminedBlob[]> {
  const sql = "SELECT digest, size, damaged FROM blobs WHERE digest > ? ORDER BY digest LIMIT ?";
  return reader.all<ExaminedBlob>(sql, digest, limit);
}

/** Damaged blobs by digest. */
export async function damagedBlobs(reader: Reader, limit: number): Promise<ExaminedBlob[]> {
  const sql = "SELECT digest, size, damaged FROM blobs WHERE damaged > 0 ORDER BY digest LIMIT ?";
  return reader.all<ExaminedBlob>(sql, limit);
}

export async function countDamaged(reader: Reader): Promise<number> {
  const sql = "SELECT count(*) AS count FROM blobs WHERE damaged > 0";
  return Number((await reader.get<{ count: number }>(sql))?.count ?? 0);
}

/** Locks a blob against pushes of the same digest, until the transaction ends. Returns false if it is gone. */
export async function lockBlob(tx: Transaction, digest: string): Promise<boolean> {
  const sql = `SELECT 1 AS one FROM blobs WHERE digest = ? ${tx.dialect.lock}`;
  return (await tx.get(sql, digest)) !== undefined;
}

/** Records since when a blob is damaged; 0 for one that is not. */
export async function markDamaged(tx: Transaction, digest: string, since: number): Promise<void> {
  await tx.run("UPDATE blobs SET damaged = ? WHERE digest = ?", since, digest);
}

/** The size of a blob, and how many repos within a scope link to it. */
export type LinkedBlob = readonly [digest: string, size: number, links: number];

/** The blobs among digests, with the links of the repos of a group; "" for the links of all repos. */
export async function linksWithin(
  reader: Reader,
  scope: string,
  digests: readonly string[],
): Promise<LinkedBlob[]> {
  const links = `(SELECT count(*) FROM blob_links WHERE blob_links.digest = blobs.digest
    AND blob_links.repo >= ? AND blob_links.repo < ?)`;
  const sql = `SELECT digest, size, ${links} FROM blobs WHERE digest IN (${reader.dialect.texts})`;
  // Uids begin with a hexadecimal digit.
  const end = scope === "" ? "g" : `${scope}0`;
  return reader.arrays<LinkedBlob>(sql, scope, end, JSON.stringify(digests));
}

export async function countBlobs(reader: Reader): Promise<number> {
  const row = await reader.get<{ count: number }>("SELECT count(*) AS count FROM blobs");
  return Number(row?.count ?? 0);
}

/**
 * Keeps blobs from being collected until the transaction ends. What it relies on, such as a link, is read after this: it
 * may have been deleted while the lock was waited for.
 */
export async function keepBlobs(tx: Transaction, digests: readonly string[]): Promise<void> {
  const { lockShared, texts } = tx.dialect;
  if (lockShared === "" || digests.length === 0) return;
  const sql = `SELECT 1 AS one FROM blobs WHERE digest IN (${texts}) ORDER BY digest ${lockShared}`;
  await tx.all(sql, JSON.stringify(digests));
}

/**
 * Adds a blob, whose content was stored just now: what was damaged is repaired by it. Locks the row, also one that stays as
 * it is, so that it is not collected before the transaction ends.
 */
export async function addBlob(tx: Transaction, { digest, size }: Blob, now: number): Promise<void> {
  await tx.run(
    `INSERT INTO blobs (digest, size, created) VALUES (?, ?, ?)
     ON CONFLICT (digest) DO UPDATE SET damaged = 0 WHERE blobs.damaged > 0`,
    digest,
    size,
    now,
  );
}

/**
 * Links a blob that the transaction keeps to a repo, with a lease up to a time; a longer one stays. Returns the groups that
 * have grown, for their quotas.
 */
export async function linkBlob(
  tx: Transaction,
  repo: string,
  digest: string,
  leased: number,
): Promise<ContentGrowth> {
  const added = await tx.run(
    `INSERT INTO blob_links (repo, digest, leased) VALUES (?, ?, ?)
     ON CONFLICT (repo, digest) DO NOTHING`,
    repo,
    digest,
    leased,
  );
  if (added > 0) {
    const blob = await tx.get<Blob>("SELECT digest, size FROM blobs WHERE digest = ?", digest);
    return blob === undefined ? [] : addContent(tx, { repo, digest }, blob.size);
  }
  const sql = "UPDATE blob_links SET leased = ? WHERE repo = ? AND digest = ? AND leased < ?";
  await tx.run(sql, leased, repo, digest, leased);
  return [];
}

/** Renews the lease of a link, for a client that relies on it. Returns false if the link is gone. */
export async function renewLease(
  tx: Transaction,
  repo: string,
  digest: string,
  leased: number,
): Promise<boolean> {
  await keepBlobs(tx, [digest]);
  const sql = `UPDATE blob_links SET leased = CASE WHEN leased < ? THEN ? ELSE leased END
    WHERE repo = ? AND digest = ?`;
  return (await tx.run(sql, leased, leased, repo, digest)) > 0;
}

/** Returns whether the link existed. */
export async function unlinkBlob(tx: Transaction, repo: string, digest: string): Promise<boolean> {
  const sql = "DELETE FROM blob_links WHERE repo = ? AND digest = ?";
  if ((await tx.run(sql, repo, digest)) === 0) return false;
  await removeContent(tx, [{ repo, digest }]);
  return true;
}

/** Removes the links of a deleted repo, whose manifests are deleted already. */
export async function unlinkBlobs(tx: Transaction, repo: string): Promise<void> {
  const sql = "DELETE FROM blob_links WHERE repo = ? RETURNING digest";
  const rows = await tx.all<Pick<Blob, "digest">>(sql, repo);
  await removeContent(
    tx,
    rows.map(({ digest }) => ({ repo, digest })),
  );
  await forgetContent(tx, repo);
}
