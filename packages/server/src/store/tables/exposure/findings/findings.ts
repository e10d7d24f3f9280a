import { subtreeEnd } from "@wharf/contract";
import type { Transaction } from "../../../db/commit/transaction.ts";
import type { Reader } from "../../../db/connection.ts";
import { inUse } from "../images/visible-images.ts";

/** A finding as it is stored. */
export interface FindingRow {
  readonly image: number;
  /** The name by which the vulnerability is best known in the image's groups. */
  readonly vulnerability: string;
  /** The package version. */
  readonly version: number;
  readonly status: number;
  readonly severity: number;
  readonly fixable: boolean;
  /** In milliseconds since 1970. */
  readonly firstSeen: number;
  /** When it was found no more; 0 while it is found. */
  readonly resolved: number;
  /** JSON (exposure/assessment/finding.ts). */
  readonly detail: string;
}

type Row = Omit<FindingRow, "fixable"> & { readonly fixable: number };

const COLUMNS = `image, vulnerability, version, status, severity, fixable, first_seen AS "firstSeen", resolved, detail`;

/** The findings of images. */
export async function findingsOf(reader: Reader, images: readonly number[]): Promise<FindingRow[]> {
  if (images.length === 0) return [];
  const sql = `SELECT ${COLUMNS} FROM findings
    WHERE image IN (${reader.dialect.integers})`;
  return (await reader.all<Row>(sql, JSON.stringify(images))).map(fromRow);
}

/** The findings of some vulnerabilities in a range of images: ranges of one index. */
export async function findingsAbout(
  reader: Reader,
  vulnerabilities: readonly string[],
  [first, last]: readonly [number, number],
): Promise<FindingRow[]> {
  const sql = `SELECT ${COLUMNS} FROM findings
    WHERE vulnerability IN (${reader.dialect.texts}) AND image >= ? AND image <= ?`;
  const rows = await reader.all<Row>(sql, JSON.stringify(vulnerabilities), first, last);
  return rows.map(fromRow);
}

/** A finding with the time during which it was open. */
export type FindingSpan = Omit<FindingRow, "version" | "fixable">;

/** All findings that images have had. */
export async function findingSpans(
  reader: Reader,
  images: readonly number[],
  limit: number,
): Promise<FindingSpan[]> {
  if (images.length === 0) return [];
  return reader.all<FindingSpan>(
    `SELECT image, vulnerability, status, severity, first_seen AS "firstSeen", resolved, detail FROM findings
     WHERE image IN (${reader.dialect.integers})
     ORDER BY vulnerability, image, version LIMIT ?`,
    JSON.stringify(images),
    limit,
  );
}

/** The subset of vulnerabilities that have a finding in any image, also a resolved one. */
export async function vulnerabilitiesWithFindings(
  reader: Reader,
  vulnerabilities: readonly string[],
): Promise<string[]> {
  const rows = await reader.arrays<readonly [string]>(
    `SELECT value FROM (${reader.dialect.texts}) given
     WHERE EXISTS (SELECT 1 FROM findings WHERE vulnerability = given.value)`,
    JSON.stringify(vulnerabilities),
  );
  return rows.map(([vulnerability]) => vulnerability);
}

function fromRow(row: Row): FindingRow {
  return { ...row, fixable: row.fixable === 1 };
}

/** Inserts or replaces findings. */
export async function putFindings(tx: Transaction, rows: readonly FindingRow[]): Promise<void> {
  if (rows.length === 0) return;
  const { asInteger, tuples } = tx.dialect;
  const numbers = ["image", "version", "status", "severity", "fixable", "first_seen", "resolved"];
  const values = rows.map((row) => [
    ...[row.image, row.version, row.status, row.severity, Number(row.fixable)],
    ...[row.firstSeen, row.resolved, row.vulnerability, row.detail],
  ]);
  await tx.run(
    `INSERT INTO findings (${numbers.join(", ")}, vulnerability, detail)
     SELECT ${numbers.map(asInteger).join(", ")}, vulnerability, detail
     FROM (${tuples(...numbers, "vulnerability", "detail")}) given WHERE true
     ON CONFLICT (image, vulnerability, version) DO UPDATE SET status = excluded.status,
       severity = excluded.severity, fixable = excluded.fixable, first_seen = excluded.first_seen,
       resolved = excluded.resolved, detail = excluded.detail`,
    JSON.stringify(values),
  );
}

/** Deletes findings that are stored under another name now. */
export async function deleteFindings(
  tx: Transaction,
  rows: readonly Pick<FindingRow, "image" | "vulnerability" | "version">[],
): Promise<void> {
  if (rows.length === 0) return;
  const { asInteger, tuples } = tx.dialect;
  await tx.run(
    `DELETE FROM findings WHERE (image, vulnerability, version) IN (
       SELECT ${asInteger("image")}, vulnerability, ${asInteger("version")}
       FROM (${tuples("image", "vulnerability", "version")}) given)`,
    JSON.stringify(
      rows.map(({ image, vulnerability, version }) => [image, vulnerability, version]),
    ),
  );
}

/**
 * The ids of the images below a scope that have a package version with a match of one of these records, or a finding of
 * one of these vulnerabilities, in ascending order after one of them.
 */
export async function imagesConcerned(
  reader: Reader,
  records: readonly number[],
  vulnerabilities: readonly string[],
  scope: string,
  after: number,
): Promise<number[]> {
  const { integers, texts } = reader.dialect;
  const within = "i.id = found.image AND i.repo >= ? AND i.repo < ?";
  const range = [scope, subtreeEnd(scope)];
  const rows = await reader.arrays<readonly [number]>(
    `SELECT found.image FROM (
       SELECT p.image AS image FROM image_packages p WHERE p.image > ? AND p.version IN (
         SELECT m.version FROM vulnerability_matches m
         WHERE m.record IN (${integers}))
       UNION
       SELECT f.image AS image FROM findings f WHERE f.image > ? AND f.vulnerability IN (${texts})
     ) found JOIN exposure_images i ON ${within} ORDER BY found.image`,
    after,
    JSON.stringify(records),
    after,
    JSON.stringify(vulnerabilities),
    ...range,
  );
  return rows.map(([image]) => image);
}

/** Images of a repo with an open finding of a vulnerability. */
export interface OpenImages {
  /** Some digests of those in use. */
  readonly digests: readonly string[];
  /** The number of those in use. */
  readonly inUse: number;
  /** Whether an image with a tag, or one in use, has it. */
  readonly any: boolean;
}

export async function openImages(
  reader: Reader,
  repo: string,
  vulnerability: string,
  options: { readonly statuses: readonly number[]; readonly limit: number; readonly now: number },
): Promise<OpenImages> {
  const { statuses, limit, now } = options;
  const use = inUse(now);
  const rows = await reader.arrays<readonly [string, number, number]>(
    `SELECT i.digest, ${use.sql}, i.tags FROM exposure_images i JOIN findings f ON f.image = i.id
     WHERE i.repo = ? AND f.vulnerability = ? AND f.resolved = 0
       AND f.status IN (${statuses.map(Number).join(", ")}) ORDER BY i.digest`,
    ...use.params,
    repo,
    vulnerability,
  );
  const used = new Set(rows.filter(([, isUsed]) => isUsed === 1).map(([digest]) => digest));
  const any = rows.some(([, isUsed, tags]) => isUsed === 1 || tags > 0);
  return { digests: [...used].slice(0, limit), inUse: used.size, any };
}

/** The vulnerabilities of the open findings of images. */
export async function openVulnerabilities(
  reader: Reader,
  images: readonly number[],
  statuses: readonly number[],
): Promise<string[]> {
  if (images.length === 0) return [];
  const rows = await reader.arrays<readonly [string]>(
    `SELECT DISTINCT vulnerability FROM findings
     WHERE image IN (${reader.dialect.integers}) AND resolved = 0
       AND status IN (${statuses.map(Number).join(", ")})`,
    JSON.stringify(images),
  );
  return rows.map(([vulnerability]) => vulnerability);
}

/** The number of images that the last event about a vulnerability in a repo has announced. */
export async function announcedImages(
  tx: Transaction,
  repo: string,
  vulnerability: string,
): Promise<number> {
  const sql = "SELECT images FROM finding_announcements WHERE repo = ? AND vulnerability = ?";
  return (await tx.get<{ images: number }>(sql, repo, vulnerability))?.images ?? 0;
}

/** Records the number of announced images. */
export async function announceImages(
  tx: Transaction,
  repo: string,
  vulnerability: string,
  images: number,
): Promise<void> {
  if (images === 0) {
    const sql = "DELETE FROM finding_announcements WHERE repo = ? AND vulnerability = ?";
    await tx.run(sql, repo, vulnerability);
    return;
  }
  await tx.run(
    `INSERT INTO finding_announcements (repo, vulnerability, images) VALUES (?, ?, ?)
     ON CONFLICT (repo, vulnerability) DO UPDATE SET images = excluded.images`,
    repo,
    vulnerability,
    images,
  );
}
