import type { Reader, Value } from "../../../db/connection.ts";
import type { StoredImage } from "./images.ts";

/** Facts about many images at a time, that their findings follow from. */

export type AssessedImage = Pick<StoredImage, "id" | "repo" | "digest" | "platform" | "tags">;

/** The images with these ids. */
export async function imagesById(
  reader: Reader,
  images: readonly number[],
): Promise<AssessedImage[]> {
  if (images.length === 0) return [];
  return reader.all<AssessedImage>(
    `SELECT id, repo, digest, platform, tags FROM exposure_images
     WHERE id IN (${reader.dialect.integers}) ORDER BY id`,
    JSON.stringify(images),
  );
}

/** A package version in an image. `owner` is the version of the package that contains it, or 0. */
export interface InstalledVersion {
  readonly image: number;
  readonly version: number;
  readonly owner: number;
}

/** All package versions of images. */
export async function versionsInImages(
  reader: Reader,
  images: readonly number[],
): Promise<InstalledVersion[]> {
  if (images.length === 0) return [];
  return installed(reader, `image IN (${reader.dialect.integers})`, JSON.stringify(images));
}

/** The images in a range of ids that have these package versions: ranges of one index. */
export async function imagesWithVersions(
  reader: Reader,
  versions: readonly number[],
  range: readonly [first: number, last: number],
): Promise<InstalledVersion[]> {
  if (versions.length === 0) return [];
  const condition = `version IN (${reader.dialect.integers}) AND image >= ? AND image <= ?`;
  return installed(reader, condition, JSON.stringify(versions), ...range);
}

async function installed(
  reader: Reader,
  condition: string,
  ...params: Value[]
): Promise<InstalledVersion[]> {
  const sql = `SELECT image, version, owner FROM image_packages WHERE ${condition}`;
  const rows = await reader.arrays<readonly [number, number, number]>(sql, ...params);
  return rows.map(([image, version, owner]) => ({ image, version, owner }));
}

export interface ImageStatement {
  readonly image: number;
  /** JSON. */
  readonly statement: string;
}

/** Few names are looked for in the texts of statements, so that most need not be read. */
const MAX_SEARCHED_NAMES = 16;

/** The statements of images, in their order; of those that have one of the names at least. */
export async function statementsOfImages(
  reader: Reader,
  images: readonly number[],
  names: readonly string[],
): Promise<ImageStatement[]> {
  if (images.length === 0) return [];
  const { integers, isWithin } = reader.dialect;
  const searched = names.length <= MAX_SEARCHED_NAMES ? names : [];
  const conditions = searched.map(() => isWithin("statement")).join(" OR ");
  return reader.all<ImageStatement>(
    `SELECT image, statement FROM image_statements
     WHERE image IN (${integers})
       ${conditions === "" ? "" : `AND (${conditions})`} ORDER BY image, position`,
    JSON.stringify(images),
    ...searched.map((name) => JSON.stringify(name).slice(1, -1)),
  );
}

/** Names of an image beside its digest. */
export interface ImageReferences {
  /** Digests of the indexes that contain it. */
  readonly indexes: string[];
  /** Names of its tags, and of those of the indexes. */
  readonly tags: string[];
}

/** The indexes and tags of images, by their ids. */
export async function referencesOfImages(
  reader: Reader,
  images: readonly AssessedImage[],
): Promise<Map<number, ImageReferences>> {
  const found = new Map(images.map(({ id }) => [id, { indexes: [], tags: [] } as ImageReferences]));
  const { tuples, asInteger } = reader.dialect;
  const triples = `(${tuples("id", "repo", "digest")}) given`;
  const json = JSON.stringify(images.map(({ id, repo, digest }) => [id, repo, digest]));
  const indexes = await reader.arrays<readonly [number, string]>(
    `SELECT ${asInteger("given.id")}, x.index_digest FROM ${triples}
     JOIN image_indexes x ON x.repo = given.repo AND x.image = given.digest ORDER BY x.index_digest`,
    json,
  );
  for (const [id, digest] of indexes) found.get(id)?.indexes.push(digest);
  const named = images.flatMap(({ id, repo, digest }) => {
    const digests = [digest, ...(found.get(id)?.indexes ?? [])];
    return digests.map((one) => [id, repo, one]);
  });
  const tags = await reader.arrays<readonly [number, string]>(
    `SELECT ${asInteger("given.id")}, t.name FROM ${triples}
     JOIN tags t ON t.parent = given.repo AND t.digest = given.digest ORDER BY t.name`,
    JSON.stringify(named),
  );
  for (const [id, tag] of tags) found.get(id)?.tags.push(tag);
  return found;
}
