import type { Dialect } from "../db/connection.ts";

/** A statement of an SQL file. One that repeats is run until it changes no row. */
export interface SqlStatement {
  readonly sql: string;
  readonly repeats: boolean;
}

/** A column of a resource that is computed from the `data` of each row, which SQL cannot read. */
export interface Backfill {
  readonly table: string;
  readonly column: string;
}

export type Statement = SqlStatement | Backfill;

export function isBackfill(statement: Statement): statement is Backfill {
  return "column" in statement;
}

/** A comment about the next statement: its database, or that it repeats; or a backfill. */
const DIRECTIVE = /^-- (sqlite|postgres|repeat|backfill):(?: (\w+)\.(\w+))?$/;

/**
 * Reads the statements of a file for a database. A semicolon at the end of a line ends a statement. Types are those of
 * SQLite; a statement for one database alone is in its own dialect.
 */
export function parseStatements(text: string, dialect: Dialect): Statement[] {
  const found: Statement[] = [];
  let marks = new Set<string>();
  let lines: string[] = [];
  for (const line of text.split("\n")) {
    const [, mark, table = "", column = ""] = DIRECTIVE.exec(line) ?? [];
    if (mark === "backfill") found.push({ table, column });
    else if (mark !== undefined) marks.add(mark);
    if (line.startsWith("--") || line.trim() === "") continue;
    lines.push(line);
    if (!line.endsWith(";")) continue;
    const sql = lines.join("\n").slice(0, -1);
    const isOfOne = marks.has("sqlite") || marks.has("postgres");
    const repeats = marks.has("repeat");
    if (!isOfOne) found.push({ sql: translateTypes(sql, dialect), repeats });
    else if (marks.has(dialect.name)) found.push({ sql, repeats });
    marks = new Set();
    lines = [];
  }
  if (lines.length > 0) throw new Error(`a statement does not end: ${lines.join("\n")}`);
  return found;
}

/** Replaces the types of SQLite in the definition of a table by those of a database. */
export function translateTypes(
  sql: string,
  { id, text, integer, blob, withoutRowid }: Dialect,
): string {
  if (!/^(CREATE|ALTER) TABLE /.test(sql)) return sql;
  return sql
    .replace(/\bid INTEGER PRIMARY KEY\b/, `id ${id}`)
    .replace(/ (TEXT|INTEGER|BLOB)\b/g, (type) => {
      return ` ${{ TEXT: text, INTEGER: integer, BLOB: blob }[type.trim()]}`;
    })
    .replace(/ WITHOUT ROWID$/, ` ${withoutRowid}`);
}

const CREATE_INDEX = /^CREATE (UNIQUE )?INDEX (\w+)\s+ON (\w+)/;

/** The index that a statement creates, and its table. */
export function createdIndex(sql: string): { index: string; table: string } | undefined {
  const [, , index, table] = CREATE_INDEX.exec(sql) ?? [];
  return index === undefined || table === undefined ? undefined : { index, table };
}

/** The statement that creates an index without locking out writers, where the database can. */
export function createOnline(sql: string, { name }: Dialect): string {
  return name === "sqlite" ? sql : sql.replace("INDEX", "INDEX CONCURRENTLY");
}

const ADD_COLUMN = /^(ALTER TABLE (\w+) ADD COLUMN) IF NOT EXISTS (\w+)/;

/** A statement that adds a column unless it exists, for SQLite, which cannot: empty if it does. */
export function addMissingColumn(
  sql: string,
  { name }: Dialect,
  hasColumn: (table: string, column: string) => boolean,
): string[] {
  const [, , table = "", column = ""] = ADD_COLUMN.exec(sql) ?? [];
  if (column === "" || name === "postgres") return [sql];
  return hasColumn(table, column) ? [] : [sql.replace(ADD_COLUMN, "$1 $3")];
}
