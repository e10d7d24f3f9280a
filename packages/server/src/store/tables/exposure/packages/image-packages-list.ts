import type { Reader } from "../../../db/connection.ts";
import type { StoredImage } from "../images/images.ts";
import { hasDigest, inUse, type RepoInterval, visibleImages } from "../images/visible-images.ts";
import { joined, numberOf, part, type SqlPart } from "../sql-part.ts";
import type { ImagePackage } from "./image-packages.ts";
import { type PackageFilter, versionsNamed } from "./named-packages.ts";
import type { PackageVersion } from "./package-versions.ts";

/** Reads of packages of images for callers. */

/** A package version in an image. */
export interface PackageRow extends Omit<PackageVersion, "detail">, Pick<ImagePackage, "location"> {
  readonly id: number;
}

const COLUMNS = `v.id, v.purl, v.ecosystem, v.release, v.name, v.version, v.origin,
  v.origin_version AS "originVersion", v.license, p.location`;

/** The position of a package in the list of an image. */
export type PackagePosition = readonly [name: string, id: number];

/** Packages of an image by name; only those whose name or package URL contains a text. */
export function packagesOfImage(
  reader: Reader,
  image: number,
  page: {
    readonly text: string;
    readonly after?: PackagePosition | undefined;
    readonly limit: number;
  },
): Promise<PackageRow[]> {
  const { text, after, limit } = page;
  const { sql, params } = ofImage(reader, image, text);
  return reader.all<PackageRow>(
    `SELECT ${COLUMNS} ${sql}${after ? " AND (v.name, v.id) > (?, ?)" : ""} ORDER BY v.name, v.id LIMIT ?`,
    ...params,
    ...(after ?? []),
    limit,
  );
}

export function countPackages(reader: Reader, image: number, text: string): Promise<number> {
  return numberOf(reader, "count(*)", ofImage(reader, image, text));
}

function ofImage({ dialect }: Reader, image: number, text: string): SqlPart {
  const filter = ` AND (${dialect.isWithin("lower(v.name)")} OR ${dialect.isWithin("lower(v.purl)")})`;
  const lower = text.toLowerCase();
  return {
    sql: `FROM image_packages p JOIN package_versions v ON v.id = p.version
      WHERE p.image = ?${text === "" ? "" : filter}`,
    params: [image, ...(text === "" ? [] : [lower, lower])],
  };
}

/** An image with its state, of those that a caller may see. */
export type ImageRow = Pick<StoredImage, "id" | "repo" | "digest" | "platform" | "state">;

/** The image with a digest in a repo, or the images of the index with it. */
export function visibleImagesOf(
  reader: Reader,
  intervals: readonly RepoInterval[],
  repo: string,
  digest: string,
): Promise<ImageRow[]> {
  const visible = visibleImages(reader.dialect, intervals);
  const condition = hasDigest(digest);
  return reader.all<ImageRow>(
    `SELECT i.id, i.repo, i.digest, i.platform, i.state FROM ${visible.sql}
     WHERE i.repo = ? AND ${condition.sql} ORDER BY i.platform, i.digest`,
    ...visible.params,
    repo,
    ...condition.params,
  );
}

/** Which images contain which packages. */
export interface ContentFilter {
  readonly intervals: readonly RepoInterval[];
  readonly package: PackageFilter;
  readonly ecosystem?: string;
  readonly release?: string;
  /** Only these package versions. */
  readonly versions?: readonly number[];
  readonly inUse?: boolean;
  readonly now: number;
}

/** The versions of the package. */
function selectedVersions({ dialect }: Reader, filter: Omit<ContentFilter, "intervals">): SqlPart {
  const { ecosystem, release, versions } = filter;
  const named = versionsNamed(filter.package);
  const { sql, params } = joined(
    [
      part(`id IN (${named.sql})`, ...named.params),
      ecosystem !== undefined && part("ecosystem = ?", ecosystem),
      release !== undefined && part("release = ?", release),
      versions !== undefined && part(`id IN (${dialect.integers})`, JSON.stringify(versions)),
    ].filter((one) => one !== false),
    " AND ",
  );
  return { sql: `(SELECT id, ecosystem, version FROM package_versions WHERE ${sql}) v`, params };
}

/** From the versions to the images that have them: a package is in few of all images. */
function selectedImages(reader: Reader, filter: ContentFilter): SqlPart {
  const visible = visibleImages(reader.dialect, filter.intervals);
  const versions = selectedVersions(reader, filter);
  const use = inUse(filter.now);
  const isInUse = filter.inUse === undefined ? "" : `AND ${use.sql} = ?`;
  return {
    sql: `FROM ${versions.sql} CROSS JOIN image_packages p CROSS JOIN ${visible.sql}
      WHERE p.version = v.id AND i.id = p.image ${isInUse}`,
    params: [
      ...versions.params,
      ...visible.params,
      ...(filter.inUse === undefined ? [] : [...use.params, Number(filter.inUse)]),
    ],
  };
}

export interface PackageImageRow
  extends PackageRow,
    Pick<StoredImage, "repo" | "digest" | "platform" | "pushed"> {
  readonly image: number;
  readonly inUse: number;
}

/** The position of an image in a list of images that contain a package: those in use first. */
export type PackageImagePosition = readonly [inUse: number, image: number, version: number];

/** A page of images that contain a package. */
export function imagesWithPackage(
  reader: Reader,
  filter: ContentFilter,
  after: PackageImagePosition | undefined,
  limit: number,
): Promise<PackageImageRow[]> {
  const { sql, params } = selectedImages(reader, filter);
  const use = inUse(filter.now);
  const later = `WHERE ("inUse" < ? OR ("inUse" = ? AND (image, version) > (?, ?)))`;
  return reader.all<PackageImageRow>(
    `SELECT ${COLUMNS}, i.id AS image, i.repo, i.digest, i.platform, i.pushed, found."inUse" FROM (
       SELECT * FROM (SELECT p.image, p.version, ${use.sql} AS "inUse" ${sql}) used
       ${after ? later : ""} ORDER BY "inUse" DESC, image, version LIMIT ?) found
     JOIN image_packages p ON p.version = found.version AND p.image = found.image
     JOIN package_versions v ON v.id = found.version JOIN exposure_images i ON i.id = found.image
     ORDER BY found."inUse" DESC, found.image, found.version`,
    ...use.params,
    ...params,
    ...(after ? [after[0], ...after] : []),
    limit,
  );
}

export function countImagesWithPackage(reader: Reader, filter: ContentFilter): Promise<number> {
  return numberOf(reader, "count(*)", selectedImages(reader, filter));
}

/** The versions of a package in images that the caller may see. */
export function versionsInImages(
  reader: Reader,
  filter: ContentFilter,
): Promise<{ id: number; ecosystem: string; version: string }[]> {
  const { sql, params } = selectedImages(reader, filter);
  return reader.all(`SELECT DISTINCT v.id, v.ecosystem, v.version ${sql}`, ...params);
}
