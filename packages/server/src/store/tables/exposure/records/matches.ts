import type { MatchedBy } from "@wharf/contract";
import type { Transaction } from "../../../db/commit/transaction.ts";
import type { Reader } from "../../../db/connection.ts";
import type { PackageVersion } from "../packages/package-versions.ts";
import type { PackageKey } from "./records.ts";

/** The relation of a package version to a record that is about its package, as it is stored. */
export interface MatchRow {
  readonly record: number;
  readonly version: number;
  readonly state: number;
  readonly matchedBy: MatchedBy;
  /** JSON array of versions. */
  readonly fixed: string;
  /** JSON (exposure/matching/match.ts). */
  readonly detail: string;
}

/** A package version, with what records are compared with. */
export interface VersionRow extends Omit<PackageVersion, "license" | "detail"> {
  readonly id: number;
}

const VERSION_COLUMNS = ["id", "purl", "ecosystem", "release", "name", "version", "origin"];

function versionColumns(table: string): string {
  const columns = VERSION_COLUMNS.map((column) => `${table}.${column}`);
  return [...columns, `${table}.origin_version AS "originVersion"`].join(", ");
}

/** The package versions with these ids. */
export async function versionsById(reader: Reader, ids: readonly number[]): Promise<VersionRow[]> {
  if (ids.length === 0) return [];
  const sql = `SELECT ${versionColumns("v")} FROM package_versions v
    WHERE v.id IN (${reader.dialect.integers})`;
  return reader.all<VersionRow>(sql, JSON.stringify(ids));
}

/** The versions of packages with these names, and of packages that were built from them. */
export async function versionsOfPackages(
  reader: Reader,
  packages: readonly PackageKey[],
): Promise<VersionRow[]> {
  if (packages.length === 0) return [];
  const pairs = `(${reader.dialect.tuples("ecosystem", "name")}) given`;
  const json = JSON.stringify(packages);
  return reader.all<VersionRow>(
    `SELECT ${versionColumns("v")} FROM ${pairs} JOIN package_versions v
       ON v.name = given.name AND v.ecosystem = given.ecosystem
     UNION
     SELECT ${versionColumns("v")} FROM ${pairs} JOIN package_versions v
       ON v.origin = given.name AND v.ecosystem = given.ecosystem AND v.origin <> ''`,
    json,
    json,
  );
}

const COLUMNS = `record, version, state, matched_by AS "matchedBy", fixed, detail`;

/** The matches of records, or of package versions. */
export async function matchesBy(
  reader: Reader,
  column: "record" | "version",
  ids: readonly number[],
): Promise<MatchRow[]> {
  if (ids.length === 0) return [];
  const sql = `SELECT ${COLUMNS} FROM vulnerability_matches
    WHERE ${column} IN (${reader.dialect.integers})`;
  return reader.all<MatchRow>(sql, JSON.stringify(ids));
}

/** The subset of records that have a match. */
export async function recordsWithMatches(
  reader: Reader,
  records: readonly number[],
): Promise<ReadonlySet<number>> {
  if (records.length === 0) return new Set();
  const rows = await reader.arrays<readonly [number]>(
    `SELECT value FROM (${reader.dialect.integers}) given
     WHERE EXISTS (SELECT 1 FROM vulnerability_matches WHERE record = given.value)`,
    JSON.stringify(records),
  );
  return new Set(rows.map(([record]) => record));
}

/** Deletes matches by record and version. */
export async function deleteMatches(
  tx: Transaction,
  matches: readonly Pick<MatchRow, "record" | "version">[],
): Promise<void> {
  if (matches.length === 0) return;
  const { asInteger, tuples } = tx.dialect;
  await tx.run(
    `DELETE FROM vulnerability_matches WHERE (record, version) IN (
       SELECT ${asInteger("record")}, ${asInteger("version")} FROM (${tuples("record", "version")}) given)`,
    JSON.stringify(matches.map(({ record, version }) => [record, version])),
  );
}

/** Inserts or replaces matches. */
export async function putMatches(tx: Transaction, matches: readonly MatchRow[]): Promise<void> {
  if (matches.length === 0) return;
  const { asInteger, tuples } = tx.dialect;
  const numbers = ["record", "version", "state", "matched_by"];
  const values = matches.map(({ record, version, state, matchedBy, fixed, detail }) => {
    return [record, version, state, matchedBy, fixed, detail];
  });
  await tx.run(
    `INSERT INTO vulnerability_matches (record, version, state, matched_by, fixed, detail)
     SELECT ${numbers.map(asInteger).join(", ")}, fixed, detail
     FROM (${tuples(...numbers, "fixed", "detail")}) given WHERE true
     ON CONFLICT (record, version) DO UPDATE SET state = excluded.state, matched_by = excluded.matched_by,
       fixed = excluded.fixed, detail = excluded.detail`,
    JSON.stringify(values),
  );
}
