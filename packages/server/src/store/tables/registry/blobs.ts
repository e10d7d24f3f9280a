import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";

/**
 * The blobs of the registry, stored once for all repos, and their links to repos. Only a link makes a blob visible: a
 * digest must not reveal the content of another tenant. A lease keeps a link without a manifest from being collected:
 * a client that has uploaded a blob, or has seen it, pushes its manifest later.
 */

export interface Blob {
  readonly digest: string;
  readonly size: number;
}

/** How long a link is leased: pushes of large images over slow lines take hours. */
const LEASE_MS = 24 * 3_600_000;

/** A blob that a repo links to. */
export async function findBlob(
  reader: Reader,
  repo: string,
  digest: string,
): Promise<(Blob & { readonly leased: number }) | undefined> {
  return reader.get(
    `SELECT blobs.digest, blobs.size, blob_links.leased FROM blob_links
     JOIN blobs ON blobs.digest = blob_links.digest
     WHERE blob_links.repo = ? AND blob_links.digest = ?`,
    repo,
    digest,
  );
}

/** The sizes of those of the blobs that a repo links to, by digest. */
export async function findBlobs(
  reader: Reader,
  repo: string,
  digests: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await reader.all<Blob>(
    `SELECT blobs.digest, blobs.size FROM blob_links
     JOIN blobs ON blobs.digest = blob_links.digest
     WHERE blob_links.repo = ? AND blob_links.digest IN (${reader.dialect.texts})`,
    repo,
    JSON.stringify(digests),
  );
  return new Map(rows.map(({ digest, size }) => [digest, size]));
}

/** Those of the digests that have a row, whichever repos link to them. */
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
export async function blobsAfter(reader: Reader, digest: string, limit: number): Promise<Blob[]> {
  const sql = "SELECT digest, size FROM blobs WHERE digest > ? ORDER BY digest LIMIT ?";
  return reader.all<Blob>(sql, digest, limit);
}

export async function countBlobs(reader: Reader): Promise<number> {
  const row = await reader.get<{ count: number }>("SELECT count(*) AS count FROM blobs");
  return Number(row?.count ?? 0);
}

/** Adds a blob, whose file exists, unless it is there. */
export async function addBlob(tx: Transaction, { digest, size }: Blob, now: number): Promise<void> {
  await tx.run(
    "INSERT INTO blobs (digest, size, created) VALUES (?, ?, ?) ON CONFLICT (digest) DO NOTHING",
    digest,
    size,
    now,
  );
}

/** Links a blob to a repo, or renews its lease. */
export async function linkBlob(
  tx: Transaction,
  repo: string,
  digest: string,
  now: number,
): Promise<void> {
  await tx.run(
    `INSERT INTO blob_links (repo, digest, leased) VALUES (?, ?, ?)
     ON CONFLICT (repo, digest) DO UPDATE SET leased = excluded.leased
     WHERE excluded.leased > blob_links.leased`,
    repo,
    digest,
    now + LEASE_MS,
  );
}

/** Whether a lease is to be renewed for a client that relies on it: half of it has passed. */
export function isLeaseDue(leased: number, now: number): boolean {
  return leased < now + LEASE_MS / 2;
}

/** Returns whether the link existed. */
export async function unlinkBlob(tx: Transaction, repo: string, digest: string): Promise<boolean> {
  const sql = "DELETE FROM blob_links WHERE repo = ? AND digest = ?";
  return (await tx.run(sql, repo, digest)) > 0;
}

/** Removes the links of a deleted repo. */
export async function unlinkBlobs(tx: Transaction, repo: string): Promise<void> {
  await tx.run("DELETE FROM blob_links WHERE repo = ?", repo);
}
