import { subtreeEnd } from "@wharf/contract";
import type { Reader } from "../db/connection.ts";
import type { Transaction } from "../db/group-commit.ts";

/**
 * Which packages are built from which, as told in a group. Once told it stays: that nothing is known
 * to be wrong with a package any more does not change what it is built from.
 */
export interface Subpackage {
  /** The uid of the group. */
  readonly place: string;
  /** Both indexable. */
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

/** More packages than are built from any one; whoever tells of more makes lists slow for themselves alone. */
const MOST_NAMES = 10_000;

/**
 * What is built from a package, as told at these places and below them; without any, wherever. What
 * is told elsewhere is not even looked at.
 *
 * @example const names = await subpackagesOf(reader, "openssl", reach.places);
 */
export async function subpackagesOf(
  reader: Reader,
  origin: string,
  tops: readonly string[] | undefined,
): Promise<string[]> {
  const names = new Set<string>();
  for (const top of tops ?? [undefined]) {
    const [within, params] =
      top === undefined ? ["", []] : [" AND place >= ? AND place < ?", [top, subtreeEnd(top)]];
    const rows = await reader.arrays<readonly [string]>(
      `SELECT name FROM subpackages WHERE origin = ?${within} LIMIT ?`,
      origin,
      ...params,
      MOST_NAMES,
    );
    for (const [name] of rows) names.add(name);
  }
  return [...names];
}

/** Forgets what was told in a group, when it is deleted. */
export async function forgetSubpackages(tx: Transaction, place: string): Promise<void> {
  await tx.run("DELETE FROM subpackages WHERE place = ?", place);
}
