import type { Transaction } from "../../../db/commit/transaction.ts";
import type { Reader } from "../../../db/connection.ts";
import { type RepoInterval, visibleImages } from "../images/visible-images.ts";

/** Reports that scanners wrote about images: the last of each scanner and day. */

export interface ScanReportHead {
  readonly repo: string;
  readonly digest: string;
  readonly scanner: string;
  /** When it was uploaded, in milliseconds. */
  readonly time: number;
  readonly version: string;
  /** When the scanner's database was built; 0 if the report does not say so. */
  readonly databaseTime: number;
  readonly author: string;
  readonly authorName: string;
  /** Bytes of the report. */
  readonly size: number;
  /** JSON: the vulnerabilities (exposure/scans/scanned.ts). */
  readonly summary: string;
}

export interface ScanReportRow extends ScanReportHead {
  /** Compressed with gzip. */
  readonly content: Uint8Array;
}

const HEAD = `r.repo, r.digest, r.scanner, r.time, r.version, r.database_time AS "databaseTime", r.author,
  r.author_name AS "authorName", r.size, r.summary`;

const DAY_MS = 24 * 3_600_000;

/** Stores a report in place of those of its scanner that were uploaded on the same day. */
export async function writeScanReport(tx: Transaction, report: ScanReportRow): Promise<void> {
  const { repo, digest, scanner, time, version, databaseTime, author, authorName } = report;
  const day = time - (time % DAY_MS);
  await tx.run(
    `DELETE FROM scan_reports WHERE repo = ? AND digest = ? AND scanner = ? AND time >= ? AND time < ?`,
    ...[repo, digest, scanner, day, day + DAY_MS],
  );
  await tx.run(
    `INSERT INTO scan_reports (repo, digest, scanner, time, version, database_time, author, author_name, size,
       summary, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[repo, digest, scanner, time, version, databaseTime, author, authorName, report.size],
    ...[report.summary, report.content],
  );
}

/** Deletes the oldest reports of a scanner about an image, beyond so many. */
export async function deleteOldReports(
  tx: Transaction,
  { repo, digest, scanner }: Pick<ScanReportHead, "repo" | "digest" | "scanner">,
  keep: number,
): Promise<void> {
  await tx.run(
    `DELETE FROM scan_reports WHERE repo = ? AND digest = ? AND scanner = ? AND time NOT IN (
       SELECT time FROM scan_reports WHERE repo = ? AND digest = ? AND scanner = ?
       ORDER BY time DESC LIMIT ?)`,
    ...[repo, digest, scanner, repo, digest, scanner, keep],
  );
}

const LATEST = `r.time = (SELECT max(time) FROM scan_reports later
  WHERE later.repo = r.repo AND later.digest = r.digest AND later.scanner = r.scanner)`;

/** The last report of each scanner about an image. */
export function latestReports(
  reader: Reader,
  repo: string,
  digest: string,
): Promise<ScanReportHead[]> {
  return reader.all<ScanReportHead>(
    `SELECT ${HEAD} FROM scan_reports r WHERE r.repo = ? AND r.digest = ? AND ${LATEST}
     ORDER BY r.time DESC, r.scanner`,
    repo,
    digest,
  );
}

/** The last report of a scanner about an image. */
export function findReport(
  reader: Reader,
  repo: string,
  digest: string,
  scanner: string,
): Promise<ScanReportRow | undefined> {
  return reader.get<ScanReportRow>(
    `SELECT ${HEAD}, r.content FROM scan_reports r
     WHERE r.repo = ? AND r.digest = ? AND r.scanner = ? ORDER BY r.time DESC LIMIT 1`,
    repo,
    digest,
    scanner,
  );
}

/** The last reports about images, of images that a caller may see. */
export async function reportsOfImages(
  reader: Reader,
  images: readonly { readonly repo: string; readonly digest: string }[],
): Promise<ScanReportHead[]> {
  if (images.length === 0) return [];
  return reader.all<ScanReportHead>(
    `SELECT ${HEAD} FROM (${reader.dialect.tuples("image_repo", "image_digest")}) given
     JOIN scan_reports r ON r.repo = given.image_repo AND r.digest = given.image_digest
     WHERE ${LATEST} ORDER BY r.time DESC, r.scanner, r.repo, r.digest`,
    JSON.stringify(images.map(({ repo, digest }) => [repo, digest])),
  );
}

/** The last report of a scanner about a digest in any visible repo; the one of a time, if it is not 0. */
export function visibleReport(
  reader: Reader,
  intervals: readonly RepoInterval[],
  digest: string,
  scanner: string,
  time: number,
): Promise<ScanReportRow | undefined> {
  const visible = visibleImages(reader.dialect, intervals);
  return reader.get<ScanReportRow>(
    `SELECT ${HEAD}, r.content FROM ${visible.sql}
     JOIN scan_reports r ON r.repo = i.repo AND r.digest = i.digest
     WHERE i.digest = ? AND r.scanner = ?${time === 0 ? "" : " AND r.time = ?"}
     ORDER BY r.time DESC, r.repo LIMIT 1`,
    ...[...visible.params, digest, scanner, ...(time === 0 ? [] : [time])],
  );
}
