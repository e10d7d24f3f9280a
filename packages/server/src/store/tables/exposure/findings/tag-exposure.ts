import type { Reader } from "../../../db/connection.ts";
import { type FindingFilter, selected } from "./finding-list.ts";

/** Tags of a repo with the images that they name, directly or by an index. */

export interface TagRow {
  readonly name: string;
  readonly digest: string;
  readonly updated: number;
}

/** A page of tags after a name. */
export function readTags(
  reader: Reader,
  repo: string,
  after: string,
  limit: number,
): Promise<TagRow[]> {
  return reader.all<TagRow>(
    `SELECT name, digest, updated FROM tags WHERE parent = ? AND name > ? ORDER BY name LIMIT ?`,
    repo,
    after,
    limit,
  );
}

export interface ImageOfDigest {
  /** That of the image, or of an index that contains it. */
  readonly digest: string;
  readonly image: number;
  readonly state: number;
}

/** The images with these digests, or in the indexes with them; those that were not read yet, too, without a row. */
export function imagesOfDigests(
  reader: Reader,
  repo: string,
  digests: readonly string[],
): Promise<ImageOfDigest[]> {
  const json = JSON.stringify(digests);
  return reader.all<ImageOfDigest>(
    `SELECT digest, id AS image, state FROM exposure_images
       WHERE repo = ? AND digest IN (${reader.dialect.texts})
     UNION ALL SELECT image_indexes.index_digest AS digest, coalesce(i.id, 0) AS image,
         coalesce(i.state, 0) AS state FROM image_indexes
       LEFT JOIN exposure_images i ON i.repo = image_indexes.repo AND i.digest = image_indexes.image
       WHERE image_indexes.repo = ? AND image_indexes.index_digest IN (${reader.dialect.texts})`,
    repo,
    json,
    repo,
    json,
  );
}

/** A vulnerability in a package of an image. */
export interface ImageStatus {
  readonly image: number;
  readonly status: number;
  readonly name: string;
  readonly version: string;
}

/** The statuses of what a filter selects, of these images. */
export function statusesOfImages(
  reader: Reader,
  filter: FindingFilter,
  images: readonly number[],
): Promise<ImageStatus[]> {
  const { sql, params } = selected(reader, filter);
  return reader.all<ImageStatus>(
    `SELECT DISTINCT f.image, f.status, v.name, v.version ${sql}
       AND f.image IN (${reader.dialect.integers}) ORDER BY v.version`,
    ...params,
    JSON.stringify(images),
  );
}

/** Names of the packages that have, or had, what a filter selects. */
export async function packagesWith(reader: Reader, filter: FindingFilter): Promise<string[]> {
  const { sql, params } = selected(reader, { ...filter, resolvedSince: 0 });
  const rows = await reader.arrays<readonly [string]>(`SELECT DISTINCT v.name ${sql}`, ...params);
  return rows.map(([name]) => name);
}

/** The versions that images have of packages with these names, by image. */
export async function versionsOfPackages(
  reader: Reader,
  images: readonly number[],
  names: readonly string[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const { integers, texts } = reader.dialect;
  const rows = await reader.arrays<readonly [number, string]>(
    `SELECT DISTINCT p.image, v.version FROM image_packages p JOIN package_versions v ON v.id = p.version
     WHERE p.image IN (${integers})
       AND v.name IN (${texts}) ORDER BY v.version`,
    JSON.stringify(images),
    JSON.stringify(names),
  );
  const grouped = Map.groupBy(rows, ([image]) => image);
  return new Map([...grouped].map(([image, some]) => [image, some.map(([, version]) => version)]));
}
