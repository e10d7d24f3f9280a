import type { Reader } from "../../../db/connection.ts";
import { type RepoInterval, visibleImages } from "../images/visible-images.ts";
import { joined, numberOf, part, type SqlPart } from "../sql-part.ts";
import type { PackageVersion } from "./package-versions.ts";

/** The apk packages of visible images, each package URL once. */

export type ApkRow = Pick<
  PackageVersion,
  "purl" | "name" | "version" | "origin" | "license" | "detail"
>;

export interface ApkFilter {
  readonly intervals: readonly RepoInterval[];
  readonly name?: string;
  /** The beginning of the name. */
  readonly prefix?: string;
  readonly names?: readonly string[];
  readonly origin?: string;
  readonly architecture?: string;
}

export interface ApkPage {
  readonly descending: boolean;
  readonly limit: number;
  readonly offset: number;
}

function selected({ dialect }: Reader, filter: ApkFilter): SqlPart {
  const { intervals, name, prefix, names, origin, architecture } = filter;
  const visible = visibleImages(dialect, intervals);
  const conditions = [
    part("p.version = v.id AND i.id = p.image AND v.purl >= 'pkg:apk/' AND v.purl < 'pkg:apk0'"),
    name !== undefined && part("v.name = ?", name),
    prefix !== undefined && part("substr(v.name, 1, ?) = ?", prefix.length, prefix),
    names !== undefined && part(`v.name IN (${dialect.texts})`, JSON.stringify(names)),
    origin !== undefined &&
      part("(v.origin = ? OR (v.origin = '' AND v.name = ?))", origin, origin),
    architecture !== undefined &&
      part(dialect.isWithin("v.detail"), `"arch":${JSON.stringify(architecture)}`),
  ].filter((one) => one !== false);
  const { sql, params } = joined(conditions, " AND ");
  return {
    sql: `FROM package_versions v CROSS JOIN image_packages p CROSS JOIN ${visible.sql} WHERE ${sql}`,
    params: [...visible.params, ...params],
  };
}

/** A page of packages by name. */
export function apkPackages(
  reader: Reader,
  filter: ApkFilter,
  { descending, limit, offset }: ApkPage,
): Promise<ApkRow[]> {
  const { sql, params } = selected(reader, filter);
  const direction = descending ? "DESC" : "ASC";
  return reader.all<ApkRow>(
    `SELECT v.purl, min(v.name) AS name, min(v.version) AS version, max(v.origin) AS origin,
       max(v.license) AS license, max(v.detail) AS detail ${sql}
     GROUP BY v.purl ORDER BY 2 ${direction}, v.purl ${direction} LIMIT ? OFFSET ?`,
    ...params,
    limit,
    offset,
  );
}

export function countApks(reader: Reader, filter: ApkFilter): Promise<number> {
  return numberOf(reader, "count(DISTINCT v.purl)", selected(reader, filter));
}

/** A page of the names of packages. */
export async function apkNames(
  reader: Reader,
  filter: ApkFilter,
  { descending, limit, offset }: ApkPage,
): Promise<string[]> {
  const { sql, params } = selected(reader, filter);
  const rows = await reader.arrays<readonly [string]>(
    `SELECT DISTINCT v.name ${sql} ORDER BY 1 ${descending ? "DESC" : "ASC"} LIMIT ? OFFSET ?`,
    ...params,
    limit,
    offset,
  );
  return rows.map(([name]) => name);
}

export function countApkNames(reader: Reader, filter: ApkFilter): Promise<number> {
  return numberOf(reader, "count(DISTINCT v.name)", selected(reader, filter));
}
