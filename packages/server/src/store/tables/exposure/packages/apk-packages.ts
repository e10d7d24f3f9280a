import type { Reader } from "../../../db/connection.ts";
import { type RepoInterval, type SqlPart, visibleImages } from "../images/visible-images.ts";

/** The apk packages of visible images, each package URL once. */

export interface ApkRow {
  readonly purl: string;
  readonly name: string;
  readonly version: string;
  readonly origin: string;
  readonly license: string;
  /** JSON (VersionDetail of exposure/inventory/inventory-package.ts). */
  readonly detail: string;
}

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
  const parts: SqlPart[] = [
    ...(name === undefined ? [] : [{ sql: "v.name = ?", params: [name] }]),
    ...(prefix === undefined
      ? []
      : [{ sql: "substr(v.name, 1, ?) = ?", params: [prefix.length, prefix] }]),
    ...(names === undefined
      ? []
      : [{ sql: `v.name IN (${dialect.texts})`, params: [JSON.stringify(names)] }]),
    ...(origin === undefined
      ? []
      : [{ sql: "(v.origin = ? OR (v.origin = '' AND v.name = ?))", params: [origin, origin] }]),
    ...(architecture === undefined
      ? []
      : [
          {
            sql: dialect.isWithin("v.detail"),
            params: [`"arch":${JSON.stringify(architecture)}`],
          },
        ]),
  ];
  return {
    sql: `FROM package_versions v CROSS JOIN image_packages p CROSS JOIN ${visible.sql}
      WHERE p.version = v.id AND i.id = p.image AND v.purl >= 'pkg:apk/' AND v.purl < 'pkg:apk0'${parts.map(({ sql }) => ` AND ${sql}`).join("")}`,
    params: [...visible.params, ...parts.flatMap(({ params }) => params)],
  };
}

/** A page of packages by name. */
export async function apkPackages(
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

export async function countApks(reader: Reader, filter: ApkFilter): Promise<number> {
  return numberOf(reader, "v.purl", selected(reader, filter));
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

export async function countApkNames(reader: Reader, filter: ApkFilter): Promise<number> {
  return numberOf(reader, "v.name", selected(reader, filter));
}

async function numberOf(reader: Reader, column: string, { sql, params }: SqlPart): Promise<number> {
  const counted = `SELECT count(DISTINCT ${column}) AS total ${sql}`;
  return Number((await reader.get<{ total: number }>(counted, ...params))?.total ?? 0);
}
