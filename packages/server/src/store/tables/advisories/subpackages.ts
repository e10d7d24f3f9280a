import { subtreeEnd } from "@wharf/contract";
import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";

/**
 * A package and the origin package it is built from, as imported into a group. It stays when its
 * advisories are deleted: they do not change how a package is built.
 */
export interface Subpackage {
  /** The uid of the group; its column is named `place` since the first version. */
  readonly group: string;
  /** Indexable, as the name is. */
  readonly origin: string;
  readonly name: string;
}

export async function addSubpackages(
  tx: Transaction,
  subpackages: readonly Subpackage[],
): Promise<void> {
  await tx.run(
    `INSERT INTO subpackages (place, origin, name)
     SELECT place, origin, name FROM (${tx.dialect.tuples("place", "origin", "name")}) given WHERE true
     ON CONFLICT DO NOTHING`,
    JSON.stringify(subpackages.map(({ group, origin, name }) => [group, origin, name])),
  );
}

/** More than any origin has; an import with more slows down only the lists of its own group. */
const MAX_NAMES = 10_000;

/** The packages built from an origin, as imported into these groups and below; into any, without groups. */
export async function subpackagesOf(
  reader: Reader,
  origin: string,
  groups: readonly string[] | undefined,
): Promise<string[]> {
  const names = new Set<string>();
  for (const group of groups ?? [undefined]) {
    const [condition, params] =
      group === undefined
        ? ["", []]
        : [" AND place >= ? AND place < ?", [group, subtreeEnd(group)]];
    const rows = await reader.arrays<readonly [string]>(
      `SELECT name FROM subpackages WHERE origin = ?${condition} LIMIT ?`,
      origin,
      ...params,
      MAX_NAMES,
    );
    for (const [name] of rows) names.add(name);
  }
  return [...names];
}

/** Deletes the subpackages of a deleted group. */
export async function forgetSubpackages(tx: Transaction, group: string): Promise<void> {
  await tx.run("DELETE FROM subpackages WHERE place = ?", group);
}
