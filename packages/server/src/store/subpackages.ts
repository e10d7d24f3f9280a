import type { Reader } from "./connection.ts";
import type { Transaction } from "./group-commit.ts";

/**
 * Which packages are built from which, as told in a group. Once told it stays: that nothing is known
 * to be wrong with a package any more does not change what it is built from.
 */
export interface Subpackage {
  /** The uid of the group. */
  readonly place: string;
  readonly origin: string;
  readonly name: string;
}

/**
 * @example await addSubpackages(tx, [{ place: group, origin: "openssl", name: "libcrypto3" }]);
 */
export async function addSubpackages(tx: Transaction, given: readonly Subpackage[]): Promise<void> {
  await tx.run(
    `INSERT INTO subpackages (place, origin, name)
     SELECT first, second, third FROM (${tx.dialect.triples}) given WHERE true
     ON CONFLICT DO NOTHING`,
    JSON.stringify(given.map(({ place, origin, name }) => [place, origin, name])),
  );
}

/**
 * What is built from a package, wherever it was told.
 *
 * @example const known = await subpackagesOf(reader, "openssl");
 */
export function subpackagesOf(reader: Reader, origin: string): Promise<Subpackage[]> {
  const sql = "SELECT place, origin, name FROM subpackages WHERE origin = ? ORDER BY name, place";
  return reader.all<Subpackage>(sql, origin);
}

/** Forgets what was told in a group, when it is deleted. */
export async function forgetSubpackages(tx: Transaction, place: string): Promise<void> {
  await tx.run("DELETE FROM subpackages WHERE place = ?", place);
}
