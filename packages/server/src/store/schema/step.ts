import type { Dialect } from "../db/connection.ts";

/**
 * A statement of a step. `repeat` changes a bounded number of rows and is run until it changes none: for
 * tables that may be large, where one statement would lock all rows at once.
 */
export type Statement = string | { readonly repeat: string };

/** A recorded change of a table that is derived from a definition, on stores that have the table. */
export interface TableStep {
  /** The table, or ALL_TABLES. It gets the columns and indexes of its definition that it lacks. */
  readonly table: string;
  /** Columns to compute again for all rows. */
  readonly backfill?: readonly string[];
  /** Columns that the definition no longer has. They stay for replicas of the previous version. */
  readonly retire?: readonly string[];
  /** Columns that an earlier release retired. */
  readonly drop?: readonly string[];
}

export type Step = readonly Statement[] | TableStep;

/** Every table that is derived from a definition. */
export const ALL_TABLES = "*";

export function isTableStep(step: Step): step is TableStep {
  return !Array.isArray(step);
}

const CREATE_INDEX = /^\s*CREATE (UNIQUE )?INDEX (\w+)\s+ON (\w+)/;

/** Work that is done after the transaction of a step. */
export type OnlineWork =
  | { readonly index: string; readonly sql: string }
  | { readonly repeat: string };

/** The statements for the transaction of a step, and the work after it. */
export interface SplitStatements {
  readonly statements: readonly string[];
  readonly online: readonly OnlineWork[];
}

/**
 * Indexes of tables that exist are built after the transaction: on PostgreSQL CREATE INDEX would lock out
 * all writers, and on SQLite a transaction should end.
 */
export function splitStatements(
  step: readonly Statement[],
  exists: (table: string) => boolean,
): SplitStatements {
  const statements: string[] = [];
  const online: OnlineWork[] = [];
  for (const statement of step) {
    if (typeof statement !== "string") {
      online.push(statement);
      continue;
    }
    const [, , index, table = ""] = CREATE_INDEX.exec(statement) ?? [];
    if (index !== undefined && exists(table)) online.push({ index, sql: statement });
    else statements.push(statement);
  }
  return { statements, online };
}

/** The statement that builds an index without locking out writers, where the database can. */
export function buildIndexSql(sql: string, { name }: Dialect): string {
  const how = name === "postgres" ? "CONCURRENTLY IF NOT EXISTS" : "IF NOT EXISTS";
  return sql.replace(CREATE_INDEX, (_all, unique = "", index, table) => {
    return `CREATE ${unique}INDEX ${how} ${index} ON ${table}`;
  });
}
