import { isDeepStrictEqual } from "node:util";
import type { Naming } from "@wharf/advisories/publish";
import { type Advisory, parentOf } from "@wharf/contract";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import {
  namesOfRecords,
  type RecordName,
  replaceNames,
} from "../../store/tables/exposure/records/record-names.ts";
import {
  deleteRecords,
  insertRecords,
  type PackageKey,
  type RecordRow,
  recordsOfAdvisories,
  type StoredRecord,
  updateRecords,
} from "../../store/tables/exposure/records/records.ts";
import { requestWork, type WorkRequest } from "../../store/tables/exposure/work/work.ts";
import { matchRecords, recordsOfOrigins } from "../matching/match-versions.ts";
import { requestAssessment, vulnerabilityWork } from "../matching/request-assessment.ts";
import { readRecords, updatedOf } from "./read-record.ts";
import type { NameOf } from "./record.ts";

/** A record as it will be stored, with its names. */
interface Derived {
  readonly row: RecordRow;
  readonly names: readonly NameOf[];
}

/** Replaces the records of changed advisories with their matches, and requests the assessment of what changes by it. */
export async function saveRecords(
  tx: Transaction,
  changed: readonly Advisory[],
  naming: Naming,
): Promise<void> {
  const uids = changed.map(({ uid }) => uid);
  const before = new Map((await recordsOfAdvisories(tx, uids)).map((row) => [keyOf(row), row]));
  const namesBefore = await namesByRecord(tx, [...before.values()]);
  const derived = changed.flatMap((one) => derive(one, naming));
  const byKey = new Map(derived.map((one) => [keyOf(one.row), one]));
  const gone = [...before].filter(([key]) => !byKey.has(key)).map(([, row]) => row);
  await requestGone(tx, gone, namesBefore);
  await deleteRecords(
    tx,
    gone.map(({ id }) => id),
  );
  await insertRecords(
    tx,
    derived.filter(({ row }) => !before.has(keyOf(row))).map(({ row }) => row),
  );
  const stored = await recordsOfAdvisories(tx, uids);
  const updated = stored.flatMap(({ id, ...row }) => {
    const now = byKey.get(keyOf(row)) as Derived;
    return isDeepStrictEqual(row, now.row) ? [] : [{ ...now.row, id }];
  });
  await updateRecords(tx, updated);
  const different = stored.filter((row) => {
    const now = byKey.get(keyOf(row)) as Derived;
    const old = before.get(keyOf(row));
    return (
      old === undefined ||
      !saysTheSame(old, now.row) ||
      !hasNames(namesBefore.get(row.id), now.names)
    );
  });
  await saveNames(tx, different, byKey, namesBefore);
  const appeared = different.filter((row) => !before.has(keyOf(row)));
  await matchAndRequest(tx, different, [...gone, ...appeared]);
}

function derive(advisory: Advisory, naming: Naming): Derived[] {
  return readRecords(advisory, naming).map((record) => ({
    names: record.names,
    row: {
      advisory: advisory.uid,
      group: parentOf(advisory.uid),
      ecosystem: record.ecosystem,
      package: record.package,
      release: record.release,
      affected: JSON.stringify(record.affected),
      status: record.status,
      severity: record.severity,
      score: record.score,
      updated: updatedOf(advisory),
      detail: JSON.stringify(record.detail),
    },
  }));
}

/** Replaces the names of new and changed records. Names that a record loses are other vulnerabilities from now on. */
async function saveNames(
  tx: Transaction,
  different: readonly StoredRecord[],
  derived: ReadonlyMap<string, Derived>,
  before: ReadonlyMap<number, readonly NameOf[]>,
): Promise<void> {
  const names: RecordName[] = [];
  const lost: WorkRequest[] = [];
  for (const row of different) {
    const now = (derived.get(keyOf(row)) as Derived).names;
    names.push(...now.map((one) => ({ ...one, record: row.id })));
    const current = new Set(now.map(({ name }) => name));
    const gone = (before.get(row.id) ?? []).filter(({ name }) => !current.has(name));
    lost.push(...gone.map(({ name }) => vulnerabilityWork(row.group, name)));
  }
  await replaceNames(
    tx,
    different.map(({ id }) => id),
    names,
  );
  await requestWork(tx, lost);
}

/** Without a record, its names may be several vulnerabilities. */
async function requestGone(
  tx: Transaction,
  gone: readonly StoredRecord[],
  names: ReadonlyMap<number, readonly NameOf[]>,
): Promise<void> {
  const work = gone.flatMap(({ id, group }) => {
    return (names.get(id) ?? []).map(({ name }) => vulnerabilityWork(group, name));
  });
  await requestWork(tx, work);
}

/** Also those whose matches depend on which other records there are. */
async function matchAndRequest(
  tx: Transaction,
  different: readonly StoredRecord[],
  comeOrGone: readonly StoredRecord[],
): Promise<void> {
  const ids = different.map(({ id }) => id);
  const packages = comeOrGone.map((one): PackageKey => [one.ecosystem, one.package]);
  const ofOrigins = (await recordsOfOrigins(tx, packages)).filter((id) => !ids.includes(id));
  const rematched = await matchRecords(tx, [...ids, ...ofOrigins]);
  await requestAssessment(tx, [...new Set([...ids, ...rematched])]);
}

async function namesByRecord(
  tx: Transaction,
  records: readonly StoredRecord[],
): Promise<Map<number, RecordName[]>> {
  const names = await namesOfRecords(
    tx,
    records.map(({ id }) => id),
  );
  return Map.groupBy(names, ({ record }) => record);
}

/** Whether findings are the same by both: a new time alone changes none. */
function saysTheSame(one: RecordRow, other: RecordRow): boolean {
  return (
    one.affected === other.affected &&
    one.status === other.status &&
    one.severity === other.severity &&
    one.score === other.score &&
    one.detail === other.detail
  );
}

function hasNames(before: readonly NameOf[] = [], now: readonly NameOf[] = []): boolean {
  const texts = (names: readonly NameOf[]) =>
    names.map(({ name, role }) => `${role} ${name}`).sort();
  return isDeepStrictEqual(texts(before), texts(now));
}

function keyOf({ advisory, release, package: name }: RecordRow): string {
  return [advisory, release, name].join("\n");
}
