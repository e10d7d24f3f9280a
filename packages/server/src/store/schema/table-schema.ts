import { hash } from "node:crypto";
import type { Dialect } from "../db/connection.ts";

/** A column of a table that is derived from a definition. */
export interface ColumnSchema {
  readonly name: string;
  /** Its type and constraints. */
  readonly sql: string;
  /** The constant that existing rows get when the column is added; without one it cannot be added. */
  readonly initial?: string;
}

export interface IndexSchema {
  readonly name: string;
  readonly columns: readonly string[];
  readonly unique?: boolean;
  /** The condition of a partial index. */
  readonly where?: string;
}

/** A table that is derived from a definition. */
export interface TableSchema {
  readonly name: string;
  readonly columns: readonly ColumnSchema[];
  readonly primaryKey?: readonly string[];
  readonly withoutRowid?: boolean;
  readonly indexes: readonly IndexSchema[];
  /** The values of derived columns, from the `data` of a row. */
  valuesOf?(data: Uint8Array): Readonly<Record<string, string | number>>;
}

export function createTable(table: TableSchema, dialect: Dialect): string {
  const { name, columns, primaryKey, withoutRowid = false } = table;
  const parts = columns.map((column) => `${column.name} ${column.sql}`);
  if (primaryKey !== undefined) parts.push(`PRIMARY KEY (${primaryKey.join(", ")})`);
  return `CREATE TABLE ${name} (${parts.join(", ")}) ${withoutRowid ? dialect.withoutRowid : ""}`;
}

export function createIndex(table: string, { name, columns, unique, where }: IndexSchema): string {
  const condition = where === undefined ? "" : ` WHERE ${where}`;
  return `CREATE ${unique ? "UNIQUE " : ""}INDEX ${name} ON ${table} (${columns.join(", ")})${condition}`;
}

/** Changes with everything that the database keeps of a table, and with nothing else. */
export function digestOf({ name, columns, primaryKey, withoutRowid, indexes }: TableSchema) {
  const parts = {
    name,
    columns: sorted(columns.map((column) => [column.name, column.sql])),
    primaryKey,
    withoutRowid,
    indexes: sorted(indexes.map((i) => [i.name, i.columns, i.unique ?? false, i.where ?? ""])),
  };
  return hash("sha256", JSON.stringify(parts)).slice(0, 16);
}

function sorted<T extends readonly unknown[]>(rows: readonly T[]): T[] {
  return rows.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
}
