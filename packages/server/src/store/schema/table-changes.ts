import type { Dialect } from "../db/connection.ts";
import { differences } from "./differences.ts";
import type { StoredColumn, StoredTable } from "./read-schema.ts";
import type { TableStep } from "./step.ts";
import type { TableSchema } from "./table-schema.ts";

/** The changes of a table in the transaction of a step, and the columns to fill after it. */
export interface TableChanges {
  readonly statements: readonly string[];
  readonly backfill: readonly string[];
}

/**
 * Adds the columns that a table lacks, and retires or drops those that the step names. The definition has
 * no defaults, but added columns keep theirs: replicas of the previous version insert rows without them.
 */
export function tableChanges(
  table: TableSchema,
  stored: StoredTable,
  step: TableStep,
  dialect: Dialect,
): TableChanges {
  const { missingColumns } = differences(table, stored);
  const added = missingColumns.map(({ name, sql, initial }) => {
    if (initial === undefined) {
      throw new Error(
        `${table.name}.${name} cannot be derived from stored rows: write a step for it`,
      );
    }
    return `ALTER TABLE ${table.name} ADD COLUMN ${name} ${sql} DEFAULT ${initial}`;
  });
  const retired = present(step.retire, stored).flatMap(([name, column]) =>
    // SQLite has no replicas to wait for, and cannot change a default.
    dialect.name === "sqlite"
      ? dropColumn(table.name, name, stored)
      : [`ALTER TABLE ${table.name} ALTER COLUMN ${name} SET DEFAULT ${initialOf(column)}`],
  );
  const dropped = present(step.drop, stored).flatMap(([name]) =>
    dropColumn(table.name, name, stored),
  );
  return {
    statements: [...added, ...retired, ...dropped],
    backfill: [...missingColumns.map(({ name }) => name), ...(step.backfill ?? [])],
  };
}

function present(
  names: readonly string[] = [],
  { columns }: StoredTable,
): [string, StoredColumn][] {
  return [...columns].filter(([name]) => names.includes(name));
}

function initialOf({ type }: StoredColumn): string {
  return /int/i.test(type) ? "0" : "''";
}

function dropColumn(table: string, column: string, { indexes }: StoredTable): string[] {
  const own = [...indexes].filter(([, index]) => index.columns.includes(column));
  return [
    ...own.map(([index]) => `DROP INDEX ${index}`),
    `ALTER TABLE ${table} DROP COLUMN ${column}`,
  ];
}
