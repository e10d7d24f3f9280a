import { hash } from "node:crypto";
import type { Transaction } from "../../../db/commit/transaction.ts";
import type { Reader } from "../../../db/connection.ts";

/** Package versions, stored once for all images that contain them. They never change: another description is another one. */

export interface PackageVersion {
  /** As the document has it; empty without one. */
  readonly purl: string;
  /** The ecosystem of OSV without the release; empty if there is none for the type of the package URL. */
  readonly ecosystem: string;
  /** The ecosystem with the release of the distribution, such as Alpine:v3.20; empty if it is unknown or there are none. */
  readonly release: string;
  readonly name: string;
  readonly version: string;
  /** The name of the source package; empty if it is the same. */
  readonly origin: string;
  readonly originVersion: string;
  readonly license: string;
  /** JSON (VersionDetail of exposure/inventory/inventory-package.ts). */
  readonly detail: string;
}

/** Identifies a version by all that is said of it. */
export function keyOf(version: PackageVersion): string {
  return hash("sha256", JSON.stringify(fieldsOf(version)), "base64url");
}

function fieldsOf(one: PackageVersion): readonly string[] {
  const { purl, ecosystem, release, name, version, origin, originVersion, license, detail } = one;
  return [purl, ecosystem, release, name, version, origin, originVersion, license, detail];
}

const STORED = [
  ...["purl", "ecosystem", "release", "name", "version", "origin", "origin_version"],
  ...["license", "detail"],
];

/** Adds those of the versions that are not stored. Returns the ids of the added ones. */
export async function addVersions(
  tx: Transaction,
  versions: ReadonlyMap<string, PackageVersion>,
): Promise<number[]> {
  const columns = ["key", ...STORED];
  const rows = [...versions].map(([key, version]) => [key, ...fieldsOf(version)]);
  const added = await tx.all<{ id: number }>(
    `INSERT INTO package_versions (${columns.join(", ")})
     SELECT ${columns.join(", ")} FROM (${tx.dialect.tuples(...columns)}) given WHERE true
     ON CONFLICT (key) DO NOTHING RETURNING id`,
    JSON.stringify(rows),
  );
  return added.map(({ id }) => id);
}

/** The ids of versions by their keys. */
export async function versionIds(
  reader: Reader,
  keys: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const sql = `SELECT key, id FROM package_versions WHERE key IN (${reader.dialect.texts})`;
  const rows = await reader.arrays<readonly [string, number]>(sql, JSON.stringify(keys));
  return new Map(rows);
}

/** Deletes those of the versions that no image contains any more, with their matches. */
export async function deleteUnused(tx: Transaction, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const { integers } = tx.dialect;
  const unused = await tx.all<{ id: number }>(
    `DELETE FROM package_versions WHERE id IN (${integers})
       AND NOT EXISTS (SELECT 1 FROM image_packages WHERE image_packages.version = package_versions.id)
     RETURNING id`,
    JSON.stringify(ids),
  );
  if (unused.length === 0) return;
  await tx.run(
    `DELETE FROM vulnerability_matches
     WHERE version IN (${integers})`,
    JSON.stringify(unused.map(({ id }) => id)),
  );
}
