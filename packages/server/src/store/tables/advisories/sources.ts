import { hash } from "node:crypto";
import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";

/** Which record of another database an advisory was imported from, for one of its events. */
export interface SourceKey {
  /** The uid of the advisory. */
  readonly advisory: string;
  /** The time of the event that the record was imported with. */
  readonly time: number;
}

/** The state of a source, without its contents. */
export interface SourceState extends SourceKey {
  /** The update time that the import gave to the advisory: if it has another one, it was changed since. */
  readonly imported: number;
  /** When feeds say that the advisory was modified, unless it was changed since. */
  readonly modified: number;
}

/** A source with its contents, as JSON. */
export interface StoredSource extends SourceState {
  /** The entries of `affected` that are about the package of the advisory. */
  readonly affected: string;
  /** The rest of the record, which all advisories imported from it share. */
  readonly record: string;
  readonly digest: string;
  /** The advisory as the record alone described it when it was imported, encoded. */
  readonly described: Uint8Array;
}

export interface NewSource extends Omit<StoredSource, "digest"> {
  /** The time at which the record was modified, as it is written there: replicas of the previous version read it. */
  readonly written: string;
  /** The uid of the group. */
  readonly group: string;
  /** Whether the record has severities: those of other records do not change what is published. */
  readonly rated: boolean;
}

/** All sources of these advisories, with their contents. */
export async function sourcesOf(
  reader: Reader,
  advisories: readonly string[],
): Promise<StoredSource[]> {
  if (advisories.length === 0) return [];
  const rows = await reader.all<StoredSource>(
    `SELECT s.advisory, s.time, s.imported, s.modified, s.affected, s.described,
       r.data AS record, r.digest
     FROM advisory_sources s JOIN advisory_records r ON r.group_uid = s.group_uid AND r.digest = s.record
     WHERE s.advisory IN (${reader.dialect.texts})`,
    JSON.stringify(advisories),
  );
  return rows.map(withNumbers);
}

/** PostgreSQL returns large integers as texts. */
function withNumbers<S extends SourceState>(row: S): S {
  const { time, imported, modified } = row;
  return { ...row, time: Number(time), imported: Number(imported), modified: Number(modified) };
}

/** Inserts or replaces a source. Records are stored once per group, by their content. */
export async function putSource(tx: Transaction, source: NewSource): Promise<void> {
  const { advisory, time, group, record, affected, rated } = source;
  const digest = hash("sha256", record, "hex");
  await tx.run(
    `INSERT INTO advisory_records (group_uid, digest, data) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`,
    group,
    digest,
    record,
  );
  await tx.run(
    `INSERT INTO advisory_sources
       (advisory, time, group_uid, record, affected, described, imported, modified, written, rated)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (advisory, time) DO UPDATE SET record = excluded.record,
       affected = excluded.affected, described = excluded.described, imported = excluded.imported, modified = excluded.modified,
       written = excluded.written, rated = excluded.rated`,
    advisory,
    time,
    group,
    digest,
    affected,
    source.described,
    source.imported,
    source.modified,
    source.written,
    Number(rated),
  );
}

export async function deleteSource(tx: Transaction, { advisory, time }: SourceKey): Promise<void> {
  await tx.run("DELETE FROM advisory_sources WHERE advisory = ? AND time = ?", advisory, time);
}

/** Deletes those of these records of a group that no source refers to any more. */
export async function deleteUnusedRecords(
  tx: Transaction,
  group: string,
  digests: readonly string[],
): Promise<void> {
  if (digests.length === 0) return;
  await tx.run(
    `DELETE FROM advisory_records
     WHERE group_uid = ? AND digest IN (${tx.dialect.texts}) AND NOT EXISTS (
       SELECT 1 FROM advisory_sources s
       WHERE s.group_uid = advisory_records.group_uid AND s.record = advisory_records.digest)`,
    group,
    JSON.stringify(digests),
  );
}

/** Follows a new update time of an advisory that does not change what is published of its record. */
export async function followUpdateTime(
  tx: Transaction,
  advisory: string,
  before: number,
  after: number,
): Promise<void> {
  await tx.run(
    "UPDATE advisory_sources SET imported = ? WHERE advisory = ? AND imported = ? AND rated = 1",
    after,
    advisory,
    before,
  );
}

/** Deletes the sources of a deleted group. */
export async function forgetSources(tx: Transaction, group: string): Promise<void> {
  await tx.run("DELETE FROM advisory_sources WHERE group_uid = ?", group);
  await tx.run("DELETE FROM advisory_records WHERE group_uid = ?", group);
}
