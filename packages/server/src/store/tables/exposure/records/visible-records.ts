import { subtreeEnd } from "@wharf/contract";
import type { Reader } from "../../../db/connection.ts";
import type { PackageKey, RecordRow } from "./records.ts";

/** The part of a record about one package. */
export type PackageRecord = Pick<
  RecordRow,
  "ecosystem" | "package" | "release" | "affected" | "detail"
>;

/**
 * The records about these packages at and below the scopes; everywhere if they are undefined. Records elsewhere do not
 * leave the index, so that neither results nor their time depend on them.
 */
export async function visibleRecords(
  reader: Reader,
  packages: readonly PackageKey[],
  scopes: readonly string[] | undefined,
): Promise<PackageRecord[]> {
  if (packages.length === 0 || scopes?.length === 0) return [];
  const { dialect } = reader;
  const intervals = scopes?.map((uid) => [`${uid}/`, subtreeEnd(uid)]);
  const isVisible =
    intervals === undefined
      ? ""
      : `WHERE EXISTS (SELECT 1 FROM (${dialect.tuples("low", "high")}) part
          WHERE r.advisory >= part.low AND r.advisory < part.high)`;
  const sql = `SELECT r.ecosystem, r.package, r.release, r.affected, r.detail
    FROM (${dialect.tuples("ecosystem", "package")}) given
    JOIN vulnerability_records r ON r.package = given.package AND r.ecosystem = given.ecosystem ${isVisible}
    ORDER BY r.id`;
  const params = [JSON.stringify(packages), ...(intervals ? [JSON.stringify(intervals)] : [])];
  return reader.all<PackageRecord>(sql, ...params);
}
