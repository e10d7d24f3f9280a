import { subtreeEnd } from "@wharf/contract";
import type { Transaction } from "../../../db/commit/transaction.ts";
import type { Reader } from "../../../db/connection.ts";

/**
 * The meaning of a name in its record: `same` ones all name its one vulnerability; a notice has several `separate` ones,
 * and names of its own.
 */
export const NAME_ROLES = { same: 1, separate: 2, notice: 3 } as const;

export interface RecordName {
  readonly record: number;
  readonly name: string;
  /** One of NAME_ROLES. */
  readonly role: number;
}

/** A name, with the group of the record. */
export interface GroupedName extends RecordName {
  readonly group: string;
}

/** Records whose names are relevant: those of groups at and above a scope, and below it. */
export interface RecordScope {
  readonly scope: string;
  readonly above: readonly string[];
}

/** The names of records. */
export async function namesOfRecords(
  reader: Reader,
  records: readonly number[],
): Promise<RecordName[]> {
  if (records.length === 0) return [];
  return reader.all<RecordName>(
    `SELECT record, name, role FROM vulnerability_record_names
     WHERE record IN (${reader.dialect.integers})`,
    JSON.stringify(records),
  );
}

/** All names of the records that have one of these names, in groups that are relevant at a scope. */
export async function namesBeside(
  reader: Reader,
  names: readonly string[],
  { scope, above }: RecordScope,
): Promise<GroupedName[]> {
  if (names.length === 0) return [];
  const { texts } = reader.dialect;
  return reader.all<GroupedName>(
    `SELECT n.record, n.name, n.role, r.group_uid AS "group"
     FROM vulnerability_record_names n JOIN vulnerability_records r ON r.id = n.record
     WHERE n.record IN (SELECT record FROM vulnerability_record_names WHERE name IN (${texts}))
       AND (r.group_uid IN (${texts}) OR (r.group_uid >= ? AND r.group_uid < ?))`,
    JSON.stringify(names),
    JSON.stringify(above),
    scope,
    subtreeEnd(scope),
  );
}

/** Replaces the names of records. */
export async function replaceNames(
  tx: Transaction,
  records: readonly number[],
  names: readonly RecordName[],
): Promise<void> {
  if (records.length === 0) return;
  const { asInteger, integers, tuples } = tx.dialect;
  await tx.run(
    `DELETE FROM vulnerability_record_names
     WHERE record IN (${integers})`,
    JSON.stringify(records),
  );
  await tx.run(
    `INSERT INTO vulnerability_record_names (record, name, role)
     SELECT ${asInteger("record")}, name, ${asInteger("role")}
     FROM (${tuples("record", "name", "role")}) given`,
    JSON.stringify(names.map(({ record, name, role }) => [record, name, role])),
  );
}
