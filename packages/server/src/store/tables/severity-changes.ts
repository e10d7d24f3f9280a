import type { Reader } from "../db/connection.ts";
import type { Transaction } from "../db/group-commit.ts";
import type { ResourceTable } from "../resources/resource-table.ts";

/**
 * A name of vulnerabilities whose severities have changed in a group, while not all advisories that
 * show them have been given a new update time.
 */
export interface SeverityChange {
  /** Indexable. */
  readonly name: string;
  /** Advisories that were updated at this time or later need no other. */
  readonly time: number;
  /** The JSON of names that, where an advisory has all of them, bring it what it had before. */
  readonly beside: string;
  /** Rows of advisories up to this one have been dealt with. */
  readonly lastRow: number;
}

/** Before every row. */
const NO_ROW = -1;

/**
 * Those of the names that any advisory has as an alias.
 *
 * @example const shown = await aliasesAmong(tx, advisories.table, ["CVE-2026-0001"]);
 */
export async function aliasesAmong(
  reader: Reader,
  { shape }: ResourceTable,
  names: readonly string[],
): Promise<string[]> {
  if (names.length === 0) return [];
  // One look at the index for each: joined, PostgreSQL may go through all aliases that there are.
  const first = `SELECT 1 FROM ${shape.name}_terms t WHERE t.kind = 'alias' AND t.value = given.value LIMIT 1`;
  const rows = await reader.arrays<readonly [string]>(
    `SELECT value FROM (${reader.dialect.texts}) given WHERE (${first}) = 1`,
    JSON.stringify(names),
  );
  return rows.map(([name]) => name);
}

/**
 * Notes names whose severities have changed, each with those that make up for it, if any.
 *
 * @example await recordSeverityChanges(tx, group, new Map([["CVE-2026-0001", []]]), writer.time);
 */
export async function recordSeverityChanges(
  tx: Transaction,
  place: string,
  changed: ReadonlyMap<string, readonly string[]>,
  time: number,
): Promise<void> {
  for (const [name, beside] of changed) {
    await tx.run(
      `INSERT INTO severity_changes (place, name, time, last_row, beside) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (place, name) DO UPDATE SET time = excluded.time, last_row = excluded.last_row,
         beside = CASE WHEN severity_changes.beside = excluded.beside THEN excluded.beside ELSE '[]' END`,
      ...[place, name, time, NO_ROW, JSON.stringify(beside)],
    );
  }
}

/** The next of a group that are not over. */
export function severityChanges(
  reader: Reader,
  place: string,
  most: number,
): Promise<SeverityChange[]> {
  return reader.all<SeverityChange>(
    `SELECT name, time, beside, last_row AS "lastRow" FROM severity_changes
     WHERE place = ? ORDER BY name LIMIT ?`,
    place,
    most,
  );
}

/** The groups that have any. */
export async function groupsWithSeverityChanges(reader: Reader): Promise<string[]> {
  const sql = "SELECT DISTINCT place FROM severity_changes";
  return (await reader.arrays<readonly [string]>(sql)).map(([place]) => place);
}

/** Goes on after a row, or is over. */
export async function advanceSeverityChange(
  tx: Transaction,
  place: string,
  name: string,
  lastRow: number | undefined,
): Promise<void> {
  if (lastRow === undefined) {
    await tx.run("DELETE FROM severity_changes WHERE place = ? AND name = ?", place, name);
    return;
  }
  const sql = "UPDATE severity_changes SET last_row = ? WHERE place = ? AND name = ?";
  await tx.run(sql, lastRow, place, name);
}
