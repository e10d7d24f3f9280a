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
