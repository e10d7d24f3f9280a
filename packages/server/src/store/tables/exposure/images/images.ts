import type { InventorySource, InventoryState } from "@wharf/contract";
import type { Transaction } from "../../../db/commit/transaction.ts";
import type { Reader } from "../../../db/connection.ts";
import type { Manifest } from "../../registry/manifests.ts";

/** Images of repos, and the states of their inventories: one row for each manifest of an image. */

/** The result of reading an image. */
export interface ImageReading {
  /** Such as linux/amd64; empty if it is unknown. */
  readonly platform: string;
  readonly state: InventoryState;
  /** The code of the reason of the state; empty if the packages are known. */
  readonly reason: string;
  readonly source: InventorySource;
  /** The digest of the SBOM; empty without one. */
  readonly document: string;
  /** JSON (exposure/inventory/image-detail.ts). */
  readonly detail: string;
  readonly packages: number;
  readonly withoutPurl: number;
  /** When it was read, in milliseconds since 1970; 0 if it is to be read again, whatever was found then. */
  readonly indexed: number;
  readonly pushed: number;
}

/** The tags of an image and of the indexes that contain it. */
export interface Tagging {
  readonly tags: number;
  /** Since when it has tags, or had them last; 0 if it never had one. */
  readonly tagged: number;
  /** Since when it has none; 0 if it has some, or never had one. */
  readonly untagged: number;
}

export interface StoredImage extends ImageReading, Tagging {
  readonly id: number;
  readonly repo: string;
  readonly digest: string;
}

const COLUMNS = `id, repo, digest, platform, state, reason, source, document, detail, packages,
  without_purl AS "withoutPurl", indexed, pushed, tags, tagged, untagged`;

export function findImage(
  reader: Reader,
  repo: string,
  digest: string,
): Promise<StoredImage | undefined> {
  const sql = `SELECT ${COLUMNS} FROM exposure_images WHERE repo = ? AND digest = ?`;
  return reader.get<StoredImage>(sql, repo, digest);
}

/** The rows of those of the digests that are images. */
export function findImages(
  reader: Reader,
  repo: string,
  digests: readonly string[],
): Promise<StoredImage[]> {
  const sql = `SELECT ${COLUMNS} FROM exposure_images
    WHERE repo = ? AND digest IN (${reader.dialect.texts}) ORDER BY id`;
  return reader.all<StoredImage>(sql, repo, JSON.stringify(digests));
}

/** The next images of a repo after a digest, in the order of digests. */
export function imagesOfRepo(
  reader: Reader,
  repo: string,
  after: string,
  limit: number,
): Promise<StoredImage[]> {
  const sql = `SELECT ${COLUMNS} FROM exposure_images
    WHERE repo = ? AND digest > ? ORDER BY digest LIMIT ?`;
  return reader.all<StoredImage>(sql, repo, after, limit);
}

/** Stores what was read of an image, and leaves its tagging as it is. Returns the id. */
export async function writeImage(
  tx: Transaction,
  repo: string,
  digest: string,
  reading: ImageReading,
): Promise<number> {
  const row = await tx.get<{ id: number }>(
    `INSERT INTO exposure_images (repo, digest, platform, state, reason, source, document, detail, packages,
       without_purl, indexed, pushed, tags, tagged, untagged)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0)
     ON CONFLICT (repo, digest) DO UPDATE SET
       platform = excluded.platform, state = excluded.state, reason = excluded.reason,
       source = excluded.source, document = excluded.document, detail = excluded.detail,
       packages = excluded.packages, without_purl = excluded.without_purl,
       indexed = excluded.indexed, pushed = excluded.pushed
     RETURNING id`,
    ...[repo, digest, reading.platform, reading.state, reading.reason, reading.source],
    ...[reading.document, reading.detail, reading.packages, reading.withoutPurl],
    ...[reading.indexed, reading.pushed],
  );
  return (row as { id: number }).id;
}

/** Makes the next work for an image read it again, even if its documents are the same. */
export async function forgetReading(tx: Transaction, repo: string, digest: string): Promise<void> {
  const sql = "UPDATE exposure_images SET indexed = 0 WHERE repo = ? AND digest = ?";
  await tx.run(sql, repo, digest);
}

export async function writeTagging(
  tx: Transaction,
  images: readonly (Tagging & { readonly id: number })[],
): Promise<void> {
  if (images.length === 0) return;
  const { asInteger, tuples } = tx.dialect;
  const number = (column: string) => asInteger(`given.${column}`);
  await tx.run(
    `UPDATE exposure_images SET tags = ${number("tags")}, tagged = ${number("tagged")},
       untagged = ${number("untagged")}
     FROM (${tuples("image", "tags", "tagged", "untagged")}) AS given
     WHERE exposure_images.id = ${number("image")}`,
    JSON.stringify(images.map(({ id, tags, tagged, untagged }) => [id, tags, tagged, untagged])),
  );
}

/** Number and beginning of the current tags of digests. */
export interface DigestTags {
  readonly digest: string;
  readonly tags: number;
  /** When the first of them was created or moved to the digest. */
  readonly since: number;
}

/** The tags of those of the digests that have some. */
export function tagsByDigest(
  reader: Reader,
  repo: string,
  digests: readonly string[],
): Promise<DigestTags[]> {
  return reader.all<DigestTags>(
    `SELECT digest, count(*) AS tags, min(updated) AS since FROM tags
     WHERE parent = ? AND digest IN (${reader.dialect.texts}) GROUP BY digest`,
    repo,
    JSON.stringify(digests),
  );
}

/** Tables with the rows of an image. */
const TABLES_OF_IMAGES = ["image_packages", "image_statements", "findings", "finding_counts"];

/** Deletes images with all that is stored of them, except for documents and reports. */
export async function deleteImages(tx: Transaction, ids: readonly number[]): Promise<void> {
  const json = JSON.stringify(ids);
  const inIds = `IN (${tx.dialect.integers})`;
  for (const table of TABLES_OF_IMAGES) {
    await tx.run(`DELETE FROM ${table} WHERE image ${inIds}`, json);
  }
  await tx.run(`DELETE FROM exposure_images WHERE id ${inIds}`, json);
}

/** Tables with rows of manifests beside those of images. */
const TABLES_OF_MANIFESTS = {
  image_documents: "digest",
  scan_reports: "digest",
  image_indexes: "index_digest",
  image_signatures: "digest",
};

/** Deletes documents, reports and contents of indexes whose manifest is not stored any more: of one digest, or of all. */
export async function deleteOrphans(tx: Transaction, repo: string, digest?: string): Promise<void> {
  for (const [table, column] of Object.entries(TABLES_OF_MANIFESTS)) {
    const one = digest === undefined ? "" : ` AND ${column} = ?`;
    await tx.run(
      `DELETE FROM ${table} WHERE repo = ?${one} AND NOT EXISTS (
         SELECT 1 FROM manifests WHERE manifests.repo = ${table}.repo
           AND manifests.digest = ${table}.${column})`,
      repo,
      ...(digest === undefined ? [] : [digest]),
    );
  }
}

/** The next manifests after one, by repo and digest, that may be images and have no row; attached ones are none. */
export function unreadManifests(
  reader: Reader,
  repo: string,
  digest: string,
  limit: number,
): Promise<(Pick<Manifest, "digest" | "kind" | "architecture" | "pushed"> & { repo: string })[]> {
  return reader.all(
    `SELECT repo, digest, kind, architecture, pushed FROM manifests
     WHERE (repo, digest) > (?, ?) AND kind <> 'other' AND subject = '' AND NOT EXISTS (
       SELECT 1 FROM exposure_images
       WHERE exposure_images.repo = manifests.repo AND exposure_images.digest = manifests.digest)
     ORDER BY repo, digest LIMIT ?`,
    repo,
    digest,
    limit,
  );
}
