import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";
import type { ResourceTable } from "../../resources/resource-table.ts";

/**
 * A name of vulnerabilities whose severities have changed in a group, while not all advisories that show
 * them have a new update time.
 */
export interface SeverityChange {
  /** Truncated to the limit of index keys (indexable.ts). */
  readonly name: string;
  /** Advisories that were updated at this time or later are up to date. */
  readonly time: number;
  /** JSON array of names: an advisory that has all of them shows the same severity as before. */
  readonly beside: string;
  /** The id of the last advisory that was processed. */
  readonly lastRow: number;
}

/** Before every row id. */
const NO_ROW = -1;

/** The names that any advisory has as an alias. */
export async function aliasesAmong(
  reader: Reader,
  { shape }: ResourceTable,
  names: readonly string[],
): Promise<string[]> {
  if (names.length === 0) return [];
  // An index look-up for each: with a join, PostgreSQL may scan all aliases.
  const first = `SELECT 1 FROM ${shape.name}_terms t WHERE t.kind = 'alias' AND t.value = given.value LIMIT 1`;
  const rows = await reader.arrays<readonly [string]>(
    `SELECT value FROM (${reader.dialect.texts}) given WHERE (${first}) = 1`,
    JSON.stringify(names),
  );
  return rows.map(([name]) => name);
}

/** Records names whose severities have changed, each with its `beside` names. */
export async function recordSeverityChanges(
  tx: Transaction,
  group: string,
  changed: ReadonlyMap<string, readonly string[]>,
  time: number,
): Promise<void> {
  for (const [name, beside] of changed) {
    await tx.run(
      `INSERT INTO severity_changes (place, name, time, last_row, beside) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (place, name) DO UPDATE SET time = excluded.time, last_row = excluded.last_row,
         beside = CASE WHEN severity_changes.beside = excluded.beside THEN excluded.beside ELSE '[]' END`,
      ...[group, name, time, NO_ROW, JSON.stringify(beside)],
    );
  }
}

/** The next unfinished changes of a group. */
export function severityChanges(
  reader: Reader,
  group: string,
  limit: number,
): Promise<SeverityChange[]> {
  return reader.all<SeverityChange>(
    `SELECT name, time, beside, last_row AS "lastRow" FROM severity_changes
     WHERE place = ? ORDER BY name LIMIT ?`,
    group,
    limit,
  );
}

/** The groups with unfinished changes. */
export async function groupsWithSeverityChanges(reader: Reader): Promise<string[]> {
  const sql = "SELECT DISTINCT place FROM severity_changes";
  return (await reader.arrays<readonly [string]>(sql)).map(([group]) => group);
}

/** Records the last processed row, or, without one, finishes the change. */
export async function advanceSeverityChange(
  tx: Transaction,
  group: string,
  name: string,
  lastRow: number | undefined,
): Promise<void> {
  if (lastRow === undefined) {
    await tx.run("DELETE FROM severity_changes WHERE place = ? AND name = ?", group, name);
    return;
  }
  const sql = "UPDATE severity_changes SET last_row = ? WHERE place = ? AND name = ?";
  await tx.run(sql, lastRow, group, name);
}
