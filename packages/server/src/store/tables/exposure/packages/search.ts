import type { Reader } from "../../../db/connection.ts";
import type { StoredImage } from "../images/images.ts";
import { type RepoInterval, visibleImages } from "../images/visible-images.ts";

/** Searches by a part of a name, among what images that a caller may see contain. */

export interface PackageHit {
  readonly ecosystem: string;
  readonly name: string;
  readonly images: number;
}

/** Packages whose name contains a text in lower case: those with exactly this name first, then those in the most images. */
export function searchPackages(
  reader: Reader,
  intervals: readonly RepoInterval[],
  text: string,
  limit: number,
): Promise<PackageHit[]> {
  const visible = visibleImages(reader.dialect, intervals);
  return reader.all<PackageHit>(
    `SELECT v.ecosystem, v.name, count(DISTINCT i.id) AS images
     FROM package_versions v CROSS JOIN image_packages p CROSS JOIN ${visible.sql}
     WHERE p.version = v.id AND i.id = p.image AND ${reader.dialect.isWithin("lower(v.name)")}
     GROUP BY v.ecosystem, v.name
     ORDER BY CASE WHEN lower(v.name) = ? THEN 0 ELSE 1 END, 3 DESC, 2, 1 LIMIT ?`,
    ...visible.params,
    text,
    text,
    limit,
  );
}

/** Versions of a package in images. */
export async function versionsOf(
  reader: Reader,
  intervals: readonly RepoInterval[],
  { ecosystem, name }: PackageHit,
  limit: number,
): Promise<string[]> {
  const visible = visibleImages(reader.dialect, intervals);
  const rows = await reader.arrays<readonly [string]>(
    `SELECT DISTINCT v.version
     FROM package_versions v CROSS JOIN image_packages p CROSS JOIN ${visible.sql}
     WHERE p.version = v.id AND i.id = p.image AND v.name = ? AND v.ecosystem = ? ORDER BY v.version LIMIT ?`,
    ...visible.params,
    name,
    ecosystem,
    limit,
  );
  return rows.map(([version]) => version);
}

export type ImageHit = Pick<StoredImage, "id" | "repo" | "digest">;

/**
 * Images whose repo or a tag of them contains a text in lower case, or whose digest begins with it. Tags and digests of
 * indexes are those of their images, too.
 */
export function searchImages(
  reader: Reader,
  intervals: readonly RepoInterval[],
  text: string,
  limit: number,
): Promise<ImageHit[]> {
  const visible = visibleImages(reader.dialect, intervals);
  const { isWithin } = reader.dialect;
  const begins = (digest: string) => `(substr(${digest}, 1, ?) = ? OR substr(${digest}, 8, ?) = ?)`;
  const ofDigest = [text.length, text, text.length, text];
  const ofIndex = "x.repo = i.repo AND x.image = i.digest";
  return reader.all<ImageHit>(
    `SELECT i.id, i.repo, i.digest FROM ${visible.sql} JOIN repos r ON r.uid = i.repo
     WHERE ${isWithin("lower(r.name)")} OR ${begins("i.digest")}
       OR EXISTS (SELECT 1 FROM image_indexes x WHERE ${ofIndex} AND ${begins("x.index_digest")})
       OR EXISTS (SELECT 1 FROM tags WHERE tags.parent = i.repo AND ${isWithin("lower(r.name || ':' || tags.name)")}
         AND (tags.digest = i.digest OR EXISTS (
           SELECT 1 FROM image_indexes x WHERE ${ofIndex} AND x.index_digest = tags.digest)))
     ORDER BY i.tags DESC, i.pushed DESC, i.id LIMIT ?`,
    ...visible.params,
    text,
    ...ofDigest,
    ...ofDigest,
    text,
    limit,
  );
}
