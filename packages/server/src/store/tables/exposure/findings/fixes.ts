import type { Reader } from "../../../db/connection.ts";
import { numberOf, part } from "../sql-part.ts";
import { type FindingFilter, selected } from "./finding-list.ts";

/** Open findings with a fix, by the package that has to change: the source package, where there is one. */

export interface FixRow {
  readonly ecosystem: string;
  readonly release: string;
  readonly package: string;
  readonly findings: number;
  readonly images: number;
  readonly severity: number;
}

/** The position of a package in the list. */
export type FixPosition = readonly [
  findings: number,
  ecosystem: string,
  release: string,
  name: string,
];

const PACKAGE = "CASE WHEN v.origin = '' THEN v.name ELSE v.origin END";

function grouped(reader: Reader, filter: FindingFilter) {
  const { sql, params } = selected(reader, { ...filter, fixable: true });
  return {
    sql: `SELECT v.ecosystem, v.release, ${PACKAGE} AS package, count(*) AS findings,
      count(DISTINCT f.image) AS images, max(f.severity) AS severity ${sql} GROUP BY 1, 2, 3`,
    params,
  };
}

/** A page of packages after a position, those with the most findings first. */
export async function readFixes(
  reader: Reader,
  filter: FindingFilter,
  after: FixPosition | undefined,
  limit: number,
): Promise<FixRow[]> {
  const { sql, params } = grouped(reader, filter);
  const later = `WHERE (findings < ? OR (findings = ? AND (ecosystem, release, package) > (?, ?, ?)))`;
  return reader.all<FixRow>(
    `SELECT * FROM (${sql}) fixes ${after ? later : ""}
     ORDER BY findings DESC, ecosystem, release, package LIMIT ?`,
    ...params,
    ...(after ? [after[0], ...after] : []),
    limit,
  );
}

export function countFixes(reader: Reader, filter: FindingFilter): Promise<number> {
  const { sql, params } = grouped(reader, filter);
  return numberOf(reader, "count(*)", part(`FROM (${sql}) fixes`, ...params));
}

/** A vulnerability in a version of a package, with the detail of one of its findings. */
export interface FixedVulnerability {
  readonly vulnerability: string;
  readonly severity: number;
  readonly detail: string;
}

/**
 * The vulnerabilities that a change of a package resolves, the most severe first. Each version that images have is one
 * row, because its fix may be another.
 */
export async function vulnerabilitiesOfFix(
  reader: Reader,
  filter: FindingFilter,
  { ecosystem, release, package: name }: FixRow,
  limit: number,
): Promise<FixedVulnerability[]> {
  const { sql, params } = selected(reader, { ...filter, fixable: true });
  return reader.all<FixedVulnerability>(
    `SELECT f.vulnerability, max(f.severity) AS severity, max(f.detail) AS detail ${sql}
       AND v.ecosystem = ? AND v.release = ? AND ${PACKAGE} = ?
     GROUP BY f.vulnerability, f.version ORDER BY 2 DESC, 1 LIMIT ?`,
    ...params,
    ecosystem,
    release,
    name,
    limit,
  );
}
