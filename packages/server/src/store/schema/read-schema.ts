import type { Reader } from "../db/connection.ts";

/** A column as the database describes it. */
export interface StoredColumn {
  readonly type: string;
  readonly notNull: boolean;
  /** The expression of its default; undefined without one. */
  readonly initial: string | undefined;
}

/** An index as the database describes it. */
export interface StoredIndex {
  readonly columns: readonly string[];
  readonly unique: boolean;
  /** The condition of a partial index; undefined without one. */
  readonly where: string | undefined;
  /** False after an interrupted CREATE INDEX CONCURRENTLY. */
  readonly valid: boolean;
}

export interface StoredTable {
  readonly columns: ReadonlyMap<string, StoredColumn>;
  /** Without those of primary keys and UNIQUE constraints. */
  readonly indexes: ReadonlyMap<string, StoredIndex>;
  /** The columns of the primary key and of UNIQUE constraints, in a canonical order. */
  readonly constraints: readonly string[];
}

export type StoredSchema = ReadonlyMap<string, StoredTable>;

interface ColumnRow {
  readonly table_name: string;
  readonly name: string;
  readonly type: string;
  readonly not_null: number | boolean;
  readonly initial: string | null;
}

interface IndexRow {
  readonly table_name: string;
  readonly name: string;
  readonly is_unique: number | boolean;
  readonly is_constraint: number | boolean;
  readonly is_valid: number | boolean;
  readonly condition: string | null;
  /** JSON. */
  readonly columns: string;
}

const SQLITE_TABLES = "t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";

const SQLITE = {
  columns: `
    SELECT t.name AS table_name, c.name, c.type, c."notnull" AS not_null, c.dflt_value AS initial
    FROM sqlite_schema t, pragma_table_xinfo(t.name) c WHERE ${SQLITE_TABLES}`,
  indexes: `
    SELECT t.name AS table_name, i.name, i."unique" AS is_unique, i.origin <> 'c' AS is_constraint,
      1 AS is_valid, CASE WHEN i.partial THEN (SELECT sql FROM sqlite_schema WHERE name = i.name) END AS condition,
      (SELECT json_group_array(name) FROM
        (SELECT name FROM pragma_index_xinfo(i.name) WHERE key = 1 ORDER BY seqno)) AS columns
    FROM sqlite_schema t, pragma_index_list(t.name) i WHERE ${SQLITE_TABLES}`,
};

const POSTGRES_TABLES = `pg_class t
  WHERE t.relkind IN ('r', 'p') AND t.relnamespace = current_schema()::regnamespace`;

const POSTGRES = {
  columns: `
    SELECT t.relname AS table_name, a.attname AS name, a.attnotnull AS not_null,
      format_type(a.atttypid, a.atttypmod) || coalesce(' COLLATE ' || nullif(c.collname, 'default'), '')
        || CASE WHEN a.attidentity = '' THEN '' ELSE ' IDENTITY' END AS type,
      pg_get_expr(d.adbin, d.adrelid) AS initial
    FROM pg_attribute a
      LEFT JOIN pg_collation c ON c.oid = a.attcollation
      LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum, ${POSTGRES_TABLES}
      AND a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped`,
  indexes: `
    SELECT t.relname AS table_name, o.relname AS name, i.indisunique AS is_unique, i.indisvalid AS is_valid,
      EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conindid = i.indexrelid) AS is_constraint,
      pg_get_expr(i.indpred, i.indrelid) AS condition,
      (SELECT json_agg(pg_get_indexdef(i.indexrelid, n, true) ORDER BY n)
        FROM generate_series(1, i.indnkeyatts) n)::text AS columns
    FROM pg_index i JOIN pg_class o ON o.oid = i.indexrelid, ${POSTGRES_TABLES} AND i.indrelid = t.oid`,
};

/** Reads the tables of the store with their columns and indexes. */
export async function readSchema(reader: Reader): Promise<StoredSchema> {
  const sql = reader.dialect.name === "sqlite" ? SQLITE : POSTGRES;
  const columns = Map.groupBy(await reader.all<ColumnRow>(sql.columns), (row) => row.table_name);
  const indexes = Map.groupBy(await reader.all<IndexRow>(sql.indexes), (row) => row.table_name);
  return new Map(
    [...columns].map(([table, rows]) => [table, storedTable(rows, indexes.get(table) ?? [])]),
  );
}

function storedTable(columns: readonly ColumnRow[], indexes: readonly IndexRow[]): StoredTable {
  return {
    columns: new Map(
      columns.map(({ name, type, not_null, initial }) => [
        name,
        { type, notNull: Boolean(not_null), initial: initial ?? undefined },
      ]),
    ),
    indexes: new Map(
      indexes.filter((row) => !row.is_constraint).map((row) => [row.name, storedIndex(row)]),
    ),
    constraints: indexes
      .filter((row) => row.is_constraint)
      .map((row) => row.columns)
      .sort(),
  };
}

function storedIndex({ columns, is_unique, condition, is_valid }: IndexRow): StoredIndex {
  return {
    columns: JSON.parse(columns) as string[],
    unique: Boolean(is_unique),
    // SQLite has the condition only as the end of the statement.
    where: condition?.replace(/^CREATE .*?\)\s+WHERE /s, "") ?? undefined,
    valid: Boolean(is_valid),
  };
}
