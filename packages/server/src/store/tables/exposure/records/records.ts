import type { Transaction } from "../../../db/commit/transaction.ts";
import type { Reader } from "../../../db/connection.ts";

/** A record of a vulnerability in one package of one ecosystem, derived from an advisory. */
export interface RecordRow {
  /** The uid of the advisory. */
  readonly advisory: string;
  /** The uid of its group: the record applies to the images at and below it. */
  readonly group: string;
  /** Without release. */
  readonly ecosystem: string;
  /** The canonical name in the ecosystem. */
  readonly package: string;
  /** The ecosystem as the record has it, with its release if it names one. */
  readonly release: string;
  /** JSON array of entries of `affected`. */
  readonly affected: string;
  readonly status: number;
  readonly severity: number;
  /** The basis of the severity. */
  readonly score: string;
  /** The update time of the advisory. */
  readonly updated: number;
  /** JSON (exposure/records/record.ts). */
  readonly detail: string;
}

export interface StoredRecord extends RecordRow {
  readonly id: number;
}

const COLUMNS = `id, advisory, group_uid AS "group", ecosystem, package, release, affected, status, severity, score,
  updated, detail`;

/** The records of these advisories. */
export async function recordsOfAdvisories(
  reader: Reader,
  advisories: readonly string[],
): Promise<StoredRecord[]> {
  if (advisories.length === 0) return [];
  const sql = `SELECT ${COLUMNS} FROM vulnerability_records WHERE advisory IN (${reader.dialect.texts}) ORDER BY id`;
  return reader.all<StoredRecord>(sql, JSON.stringify(advisories));
}

/** The records with these ids. */
export async function recordsById(reader: Reader, ids: readonly number[]): Promise<StoredRecord[]> {
  if (ids.length === 0) return [];
  const sql = `SELECT ${COLUMNS} FROM vulnerability_records
    WHERE id IN (${reader.dialect.integers}) ORDER BY id`;
  return reader.all<StoredRecord>(sql, JSON.stringify(ids));
}

/** The part of a record that findings based on it show. */
export type RecordSummary = Pick<RecordRow, "group" | "updated" | "detail">;

/** By the ids of the records; without those that are deleted. */
export async function recordSummaries(
  reader: Reader,
  ids: readonly number[],
): Promise<ReadonlyMap<number, RecordSummary>> {
  const rows = await reader.all<RecordSummary & { id: number }>(
    `SELECT id, group_uid AS "group", updated, detail FROM vulnerability_records
     WHERE id IN (${reader.dialect.integers})`,
    JSON.stringify([...new Set(ids)]),
  );
  return new Map(rows.map(({ id, ...row }) => [id, row]));
}

/** The name of a package, with its ecosystem. */
export type PackageKey = readonly [ecosystem: string, name: string];

/** The records about these packages, of any group. */
export async function recordsOfPackages(
  reader: Reader,
  packages: readonly PackageKey[],
): Promise<StoredRecord[]> {
  if (packages.length === 0) return [];
  const columns = COLUMNS.split(", ").map((column) => `r.${column.trim()}`);
  const sql = `SELECT ${columns.join(", ")}
    FROM (${reader.dialect.tuples("ecosystem", "package")}) given
    JOIN vulnerability_records r ON r.package = given.package AND r.ecosystem = given.ecosystem ORDER BY r.id`;
  return reader.all<StoredRecord>(sql, JSON.stringify(packages));
}

/** Inserts records, of which there must be none yet for advisory, release and package. */
export async function insertRecords(tx: Transaction, rows: readonly RecordRow[]): Promise<void> {
  if (rows.length === 0) return;
  const { asInteger, tuples } = tx.dialect;
  const names = ["advisory", "grp", "ecosystem", "package", "release", "affected"];
  const numbers = ["status", "severity", "updated"];
  await tx.run(
    `INSERT INTO vulnerability_records
       (advisory, group_uid, ecosystem, package, release, affected, score, detail, status, severity, updated)
     SELECT ${names.join(", ")}, score, detail, ${numbers.map(asInteger).join(", ")}
     FROM (${tuples(...names, "score", "detail", ...numbers)}) given`,
    JSON.stringify(rows.map((row) => [...textsOf(row), row.status, row.severity, row.updated])),
  );
}

function textsOf(row: RecordRow): string[] {
  const { advisory, group, ecosystem, release, affected, score, detail } = row;
  return [advisory, group, ecosystem, row.package, release, affected, score, detail];
}

/** Replaces what records say; they remain those of their advisories and packages. */
export async function updateRecords(tx: Transaction, rows: readonly StoredRecord[]): Promise<void> {
  if (rows.length === 0) return;
  const { asInteger, tuples } = tx.dialect;
  const texts = ["affected", "score", "detail"];
  const numbers = ["status", "severity", "updated"];
  const values = rows.map(({ id, affected, score, detail, status, severity, updated }) => {
    return [id, affected, score, detail, status, severity, updated];
  });
  await tx.run(
    `UPDATE vulnerability_records SET ${texts.map((one) => `${one} = given.${one}`).join(", ")},
       ${numbers.map((one) => `${one} = ${asInteger(`given.${one}`)}`).join(", ")}
     FROM (${tuples("id", ...texts, ...numbers)}) given
     WHERE vulnerability_records.id = ${asInteger("given.id")}`,
    JSON.stringify(values),
  );
}

/** Deletes records with their names and matches. */
export async function deleteRecords(tx: Transaction, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const list = `(${tx.dialect.integers})`;
  const json = JSON.stringify(ids);
  await tx.run(`DELETE FROM vulnerability_matches WHERE record IN ${list}`, json);
  await tx.run(`DELETE FROM vulnerability_record_names WHERE record IN ${list}`, json);
  await tx.run(`DELETE FROM vulnerability_records WHERE id IN ${list}`, json);
}

/** The next rows of the table of advisories after a position, by update time, deleted ones included. */
export interface AdvisoryPosition {
  readonly updated: number;
  readonly id: number;
}

export interface FollowedRow extends AdvisoryPosition {
  readonly data: Uint8Array;
}

/** Incremental read of the advisories of all groups: their update times are monotonic (vulnerabilities/writer.ts). */
export async function advisoriesAfter(
  reader: Reader,
  { updated, id }: AdvisoryPosition,
  partitions: readonly number[],
  limit: number,
): Promise<FollowedRow[]> {
  const sql = `SELECT id, updated, data FROM advisories
    WHERE part = ? AND (updated, id) > (?, ?) ORDER BY updated, id LIMIT ?`;
  const parts = await Promise.all(
    partitions.map((part) => reader.all<FollowedRow>(sql, part, updated, id, limit)),
  );
  return parts
    .flat()
    .sort((a, b) => a.updated - b.updated || a.id - b.id)
    .slice(0, limit);
}
