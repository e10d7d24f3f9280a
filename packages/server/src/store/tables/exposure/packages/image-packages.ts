import type { Transaction } from "../../../db/commit/transaction.ts";
import type { Reader } from "../../../db/connection.ts";

/** The package versions of images. */

export interface ImagePackage {
  readonly version: number;
  /** The version of the distribution's package that contains this one, or 0. */
  readonly owner: number;
  /** The file or layer that has the package; empty if it is unknown. */
  readonly location: string;
}

export async function packagesOf(reader: Reader, image: number): Promise<ImagePackage[]> {
  const sql = "SELECT version, owner, location FROM image_packages WHERE image = ?";
  return reader.all<ImagePackage>(sql, image);
}

/** The versions that images contain. */
export async function versionsOfImages(
  reader: Reader,
  images: readonly number[],
): Promise<number[]> {
  const sql = `SELECT DISTINCT version FROM image_packages
    WHERE image IN (${reader.dialect.integers})`;
  const rows = await reader.arrays<readonly [number]>(sql, JSON.stringify(images));
  return rows.map(([version]) => version);
}

/** Makes these the packages of an image, and writes only what differs. Returns the versions that it contains no more. */
export async function replacePackages(
  tx: Transaction,
  image: number,
  packages: readonly ImagePackage[],
): Promise<number[]> {
  const stored = new Map((await packagesOf(tx, image)).map((one) => [one.version, one]));
  const changed = packages.filter(({ version, owner, location }) => {
    const before = stored.get(version);
    return before === undefined || before.owner !== owner || before.location !== location;
  });
  const current = new Set(packages.map(({ version }) => version));
  const gone = [...stored.keys()].filter((version) => !current.has(version));
  await deletePackages(tx, image, gone);
  await writePackages(tx, image, changed);
  return gone;
}

async function deletePackages(
  tx: Transaction,
  image: number,
  versions: readonly number[],
): Promise<void> {
  if (versions.length === 0) return;
  await tx.run(
    `DELETE FROM image_packages
     WHERE image = ? AND version IN (${tx.dialect.integers})`,
    image,
    JSON.stringify(versions),
  );
}

async function writePackages(
  tx: Transaction,
  image: number,
  packages: readonly ImagePackage[],
): Promise<void> {
  if (packages.length === 0) return;
  const { asInteger, tuples } = tx.dialect;
  await tx.run(
    `INSERT INTO image_packages (version, image, owner, location)
     SELECT ${asInteger("version")}, ${asInteger("?")}, ${asInteger("owner")}, location
     FROM (${tuples("version", "owner", "location")}) given WHERE true
     ON CONFLICT (version, image) DO UPDATE SET owner = excluded.owner, location = excluded.location`,
    image,
    JSON.stringify(packages.map(({ version, owner, location }) => [version, owner, location])),
  );
}
