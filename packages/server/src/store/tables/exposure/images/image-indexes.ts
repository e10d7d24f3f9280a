import type { Transaction } from "../../../db/commit/transaction.ts";
import type { Reader } from "../../../db/connection.ts";
import type { Manifest } from "../../registry/manifests.ts";

/** The images that indexes of a repo contain. */

/** The digests of the images of an index: attestations of BuildKit are children of an unknown platform. */
export function imagesOfManifest({
  digest,
  children,
}: Pick<Manifest, "digest" | "children">): string[] {
  const images = children.filter(
    // Work that requests itself would never end.
    (child) => child.architecture !== "unknown" && child.digest !== digest,
  );
  return [...new Set(images.map((child) => child.digest))];
}

/** Replaces the images of an index. */
export async function writeIndexImages(
  tx: Transaction,
  repo: string,
  index: string,
  images: readonly string[],
): Promise<void> {
  const json = JSON.stringify(images);
  await tx.run(
    `DELETE FROM image_indexes WHERE repo = ? AND index_digest = ?
       AND image NOT IN (${tx.dialect.texts})`,
    repo,
    index,
    json,
  );
  await tx.run(
    `INSERT INTO image_indexes (repo, image, index_digest)
     SELECT ?, value, ? FROM (${tx.dialect.texts}) given WHERE true ON CONFLICT DO NOTHING`,
    repo,
    index,
    json,
  );
}

/** An image in an index. */
export interface IndexedImage {
  readonly image: string;
  readonly index: string;
}

/** The indexes that contain one of these images. */
export function indexesOfImages(
  reader: Reader,
  repo: string,
  images: readonly string[],
): Promise<IndexedImage[]> {
  const sql = `SELECT image, index_digest AS "index" FROM image_indexes
    WHERE repo = ? AND image IN (${reader.dialect.texts}) ORDER BY index_digest, image`;
  return reader.all<IndexedImage>(sql, repo, JSON.stringify(images));
}

/** The images that an index contains. */
export async function imagesOfIndex(
  reader: Reader,
  repo: string,
  index: string,
): Promise<string[]> {
  const sql = "SELECT image FROM image_indexes WHERE repo = ? AND index_digest = ? ORDER BY image";
  const rows = await reader.arrays<readonly [string]>(sql, repo, index);
  return rows.map(([image]) => image);
}
